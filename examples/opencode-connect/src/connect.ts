// A client of the kind OpenCode Connect is: it submits a prompt once, and waits for what became of it.
export interface Admission {
  readonly sessionID: string
  readonly messageID: string
}

export async function start(base: string, directory: string, text: string): Promise<Admission> {
  const session = await call(base, "POST", "/api/session", { location: { directory } })
  const admitted = await call(base, "POST", `/api/session/${session.id}/prompt`, { prompt: { text } })
  return { sessionID: session.id, messageID: admitted.id } // retained: an uncertain admission is never submitted again
}

async function call(base: string, method: string, path: string, body: unknown): Promise<{ id: string }> {
  const response = await fetch(base + path, { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } })
  const answer = (await response.json()) as { data: { id: string }; _tag?: string }
  if (!response.ok) throw new Error(answer._tag ?? `HTTP ${response.status}`)
  return answer.data
}
