import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startService } from '../../../scripts/corpus/service.ts'
import { type DnsReply, startDnsServer } from '../../source/dns-server.ts'
import type { Attack } from '../attack.ts'
import { photograph } from '../crowd.ts'

const run = promisify(execFile)

/** Where sources may be fetched from, and what lies inside the network: both are loopback, and one server listens on both. */
const ALLOWED = '127.9.9.9'
const INSIDE = '127.0.0.1'
const NAME_SERVER = '127.7.7.7'

/** Answers to the questions for one name, in turn; the last one stays. */
const ANSWERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'twice.example': [[ALLOWED], [INSIDE]],
  'inwards.example': [[INSIDE], [ALLOWED]],
  'both.example': [[INSIDE, ALLOWED]],
}

/** The service is given a resolv.conf of its own where the system lets us. */
const ownResolver = (path: string): readonly string[] => [
  ...['unshare', '--mount', '--', 'sh', '-c'],
  ...['mount --bind "$0" /etc/resolv.conf && exec "$@"', path],
]

/** Names that lead outwards when they are judged and inwards when they are asked for again. */
export const RESOLVER: Attack = {
  name: 'resolver',
  run: async ({ short }) => {
    const directory = await mkdtemp(join(tmpdir(), 'whittle-resolver-'))
    const conf = join(directory, 'resolv.conf')
    await writeFile(conf, `nameserver ${NAME_SERVER}\n`)
    const through = ownResolver(conf)
    if (
      !(await run(through[0]!, [...through.slice(1), 'true']).then(
        () => true,
        () => false,
      ))
    ) {
      await rm(directory, { recursive: true })
      return { tries: 0, problems: [], notes: ['mounts are not allowed here: not tried'] }
    }
    const asked = new Map<string, number>()
    const answer = (name: string, type: string): DnsReply => {
      if (type !== 'A') return { addresses: [], ttl: 0 }
      const list = ANSWERS[name.replace(/^\d+\./, '')]
      const turn = asked.get(name) ?? 0
      asked.set(name, turn + 1)
      return list === undefined ? 'unknown' : { addresses: list[Math.min(turn, list.length - 1)]!, ttl: 0 }
    }
    const image = await photograph(200, 100)
    const problems: string[] = []
    const web = createServer((request, response) => {
      if (request.socket.localAddress !== ALLOWED) problems.push(`${request.headers.host} was reached inside`)
      const again = new URL(request.url ?? '/', `http://${request.headers.host}`)
      if (again.pathname === '/again.jpg') response.writeHead(302, { location: '/image.jpg' }).end()
      else response.writeHead(200, { 'content-type': 'image/jpeg' }).end(image)
    }).listen(0, '0.0.0.0')
    await once(web, 'listening')
    const { port } = web.address() as { readonly port: number }
    await using _names = await startDnsServer(answer, { port: 53, address: NAME_SERVER })
    const service = await startService({ ALLOW_PRIVATE_SOURCES: `${ALLOWED}/32` }, { through })
    let tries = 0
    try {
      for (let turn = 0; turn < (short ? 2 : 30); turn += 1)
        for (const host of Object.keys(ANSWERS))
          for (const path of ['image.jpg', 'again.jpg']) {
            const target = encodeURIComponent(`http://${tries}.${host}:${port}/${path}`)
            for (let again = 0; again < 2; again += 1) {
              const { status } = await fetch(`${service.address}/demo/full/${target}`, { method: 'POST' })
              if (![200, 404].includes(status)) problems.push(`${status} for ${host}`)
            }
            tries += 1
          }
    } finally {
      await service.stop()
      web.close()
      await rm(directory, { recursive: true })
    }
    const names = [...asked.values()].reduce((sum, count) => sum + count, 0)
    if (names === 0) problems.push('the name server was never asked')
    return { tries: tries * 2, problems, notes: [`the name server was asked ${names} times`] }
  },
}
