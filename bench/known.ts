/** CPU of answers that need little work: `npm run bench:known -- --help`. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent, createServer, type RequestOptions, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startService } from '../scripts/corpus/service.ts'
import { median } from './corpus/floor.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'

const HELP = `CPU of answers that need little work, in ms of all processes of the service: a POST and a live GET whose results are stored, and
the first answer of live delivery for a new source. Each new source is the photograph with other bytes after its end.

Usage: npm run bench:known -- [options] <photograph>

  --times N      requests of each kind (1000)
  --format NAME  jpeg, webp or avif (jpeg)
  --help         says this
`

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '1000' },
    format: { type: 'string', default: 'jpeg' },
  },
})
const [path] = requirePaths(HELP, positionals)
const times = readNumber(HELP, '--times', values.times)
const options = `800,format=${values.format}`
const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
/** Requests before anything is measured: the first ones compile and load. */
const WARMTH = 100
/** New sources. The first three are not counted. */
const NEW_SOURCES = 12
/** ms between two looks at the CPU of a service that should become idle, and the looks without work in a row. */
const REST = { everyMs: 250, looks: 3 } as const

const photograph = await readFile(path)
const web = createServer(({ url = '' }, response) => {
  response.setHeader('Cache-Control', 'max-age=3600').end(Buffer.concat([photograph, Buffer.from(url)]))
}).listen(0, '127.0.0.1')
await once(web, 'listening')
const source = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
const service = await startService()
const agent = new Agent({ keepAlive: true })

const ask = (address: string, how: RequestOptions = {}, body?: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const asked = request(address, { agent, ...how }, async (response) => {
      const result = await buffer(response)
      if (response.statusCode === 200) resolve(result)
      else reject(new Error(`${response.statusCode} ${result}`))
    })
    asked.on('error', reject).end(body)
  })

const postKnown = () =>
  ask(
    `${service.address}/demo/${options}`,
    { method: 'POST', headers: { 'content-type': 'image/jpeg', 'content-length': photograph.length } },
    photograph,
  )
const getLive = (name: string) => ask(`${service.address}/live/${options}/${source}/${name}`)

/** CPU of each request, in ms, where all have the same cost. */
const cpuEach = async (make: () => Promise<unknown>): Promise<number> => {
  for (let time = 0; time < WARMTH; time++) await make()
  await rest()
  const before = await service.cpuSeconds()
  for (let time = 0; time < times; time++) await make()
  return (1000 * ((await service.cpuSeconds()) - before)) / times
}

/** Waits until searches in the background have ended. */
const rest = async (): Promise<void> => {
  let last = await service.cpuSeconds()
  for (let looks = 0; looks < REST.looks; ) {
    await sleep(REST.everyMs)
    const now = await service.cpuSeconds()
    looks = now === last ? looks + 1 : 0
    last = now
  }
}

/** CPU of all processes from the request of a new source to its answer, in ms. */
const cpuOfNew = async (name: string): Promise<number> => {
  await rest()
  const before = await service.cpuSeconds()
  await getLive(name)
  return 1000 * ((await service.cpuSeconds()) - before)
}

try {
  const deliver = ['accounts', 'add', 'live', '--deliver', new URL(source).host]
  await promisify(execFile)(process.execPath, [MAIN, ...deliver], {
    env: { ...process.env, DATA_DIR: service.dataDir },
  })
  console.log(`known POST      ${(await cpuEach(postKnown)).toFixed(1)} ms of CPU`)
  console.log(`known live GET  ${(await cpuEach(() => getLive('known'))).toFixed(1)} ms of CPU`)
  const each: number[] = []
  for (let at = 0; at < NEW_SOURCES; at++) each.push(await cpuOfNew(`new-${at}`))
  const counted = each.slice(3)
  console.log(
    `new live GET    ${median(counted).toFixed(0)} ms of CPU in the median, ${Math.max(...counted).toFixed(0)} at most`,
  )
} finally {
  agent.destroy()
  web.close()
  await service.stop()
}
