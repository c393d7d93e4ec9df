// Speaks to a daemon over its unix socket: under Bun `fetch` takes one.
export async function post(directory: string, record: Record<string, string>): Promise<void> {
  const init = { method: "POST", body: JSON.stringify(record), unix: `${directory}/.mcpx/daemon.sock` }
  await fetch("http://localhost/v1/log", init as RequestInit).catch(() => undefined)
}
