import { createServer } from 'node:net'
import type { Attack } from '../attack.ts'

/** Ways to write an internal address; `P` is the port of a server that must never receive a request. */
const FORMS: readonly string[] = [
  'http://127.0.0.1:P/', 'http://localhost:P/', 'http://LOCALHOST.:P/', 'http://127.1:P/', 'http://127.0.1:P/',
  'http://2130706433:P/', 'http://0x7f000001:P/', 'http://0177.0.0.1:P/', 'http://0x7f.1:P/', 'http://127.0.0.1.:P/',
  'http://0:P/', 'http://0.0.0.0:P/', 'http://[::1]:P/', 'http://[::]:P/', 'http://[::ffff:127.0.0.1]:P/',
  'http://[::ffff:7f00:1]:P/', 'http://[0:0:0:0:0:ffff:127.0.0.1]:P/', 'http://[64:ff9b::7f00:1]:P/', 'http://[2002:7f00:1::]:P/',
  'http://%6c%6f%63%61%6c%68%6f%73%74:P/', 'http://①②⑦.⓪.⓪.①:P/', 'http://127。0。0。1:P/', 'http://example.com@127.0.0.1:P/',
  'http://127.0.0.1:P#@example.com/', 'http:/127.0.0.1:P/', 'http:\\\\127.0.0.1:P\\', 'http:127.0.0.1:P/', 'http://127.0.0.1:P\\@example.com/',
  'http://a.localhost:P/', 'http://169.254.169.254/latest/meta-data/', 'http://168.63.129.16/', 'http://[fd00::1]:P/', 'http://[fe80::1]:P/',
] // biome-ignore format: a table

/** Addresses that lead into the network of the service, raw and percent-encoded; a server inside counts who comes. */
export const SSRF: Attack = {
  name: 'ssrf',
  settings: { ALLOW_PRIVATE_SOURCES: '' },
  run: async ({ service, short }) => {
    const problems: string[] = []
    let connected = 0
    const inside = createServer((socket) => {
      connected += 1
      socket.destroy()
    }).listen(0)
    await new Promise((ready) => inside.once('listening', ready))
    const { port } = inside.address() as { readonly port: number }
    const addresses = FORMS.map((form) => form.replace('P', String(port)))
    const targets = addresses.flatMap((address) => [
      encodeURI(address).replaceAll('%25', '%'),
      encodeURIComponent(address),
    ])
    for (const target of short ? targets.filter((_, i) => i % 2 === 0) : targets) {
      const before = connected
      const answer = await fetch(`${service.address}/demo/full/${target}`, { method: 'POST' })
      await answer.arrayBuffer()
      if (connected > before) problems.push(`${target} was connected to`)
      if (answer.status !== 404 && answer.status !== 400) problems.push(`${target}: ${answer.status}`)
    }
    await new Promise((closed) => inside.close(closed))
    return { tries: short ? addresses.length : targets.length, problems }
  },
}
