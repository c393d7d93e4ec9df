// A package registry on the loopback, as small as one can be: `registry({name: {version, files, ...manifest}})`.
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import { gzipSync } from "node:zlib"

const octal = (number, width) => number.toString(8).padStart(width - 1, "0") + "\0"

function entry(name, text) {
  const data = Buffer.from(text)
  const head = Buffer.alloc(512)
  head.write(`package/${name}`, 0)
  head.write(octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(data.length, 12) + octal(0, 12) + " ".repeat(8) + "0", 100)
  head.write("ustar\x0000", 257)
  head.write(octal(head.reduce((sum, byte) => sum + byte, 0), 7) + " ", 148)
  return [head, data, Buffer.alloc((512 - (data.length % 512)) % 512)]
}

const tarball = (files) => gzipSync(Buffer.concat([...Object.entries(files).flatMap(([name, text]) => entry(name, text)), Buffer.alloc(1024)]))

export async function registry(packages) {
  const asked = []
  const server = createServer((request, response) => {
    const [name, file] = decodeURIComponent(request.url.slice(1).split("?")[0]).split("/-/")
    asked.push(file ? `${name} tarball` : name)
    const one = packages[name]
    if (!one) return response.writeHead(404, { "content-type": "application/json" }).end('{"error":"not found"}')
    const { files, ...rest } = one
    const manifest = { name, version: "1.0.0", type: "module", ...rest }
    const data = tarball({ ...files, "package.json": JSON.stringify(manifest) })
    if (file) return response.writeHead(200, { "content-type": "application/octet-stream" }).end(data)
    const integrity = `sha512-${createHash("sha512").update(data).digest("base64")}`
    const dist = { integrity, shasum: createHash("sha1").update(data).digest("hex"), tarball: `${url}${name}/-/${name}-1.0.0.tgz` }
    const body = { name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { ...manifest, dist } } }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  await new Promise((done) => server.listen(0, "127.0.0.1", done))
  const url = `http://127.0.0.1:${server.address().port}/`
  return { url, asked, close: () => (server.closeAllConnections?.(), server.close()) }
}
