import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { RunningService } from '../../scripts/corpus/service.ts'
import type { Done, Work } from './worker.ts'

/** One run over a list of images. Times in ms, each of one image; `cpu` in seconds of all processes that worked. */
export interface Run {
  readonly seconds: number
  readonly times: readonly number[]
  readonly bytes: number
  readonly cpu: number
}

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))

/** Calls `act` for each item, `atOnce` at a time. */
export const inTurns = async <T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T, lane: number) => Promise<void>,
) => {
  let next = 0
  const lane = async (_: unknown, number: number): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) await act(items[at]!, number)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

/** The work of a bare loop, and its number of processes. */
interface Errands {
  readonly options: string
  readonly paths: readonly string[]
  readonly processes: number
}

/** Processes of a bare loop: the same work without HTTP, without a queue, without a store. */
export interface BareLoop {
  readonly run: (work: Work, errands: Errands) => Promise<Run>
  readonly close: () => void
}

/** Starts `count` processes. */
export const openBareLoop = (count: number): BareLoop => {
  const children = Array.from({ length: count }, (): ChildProcess => fork(WORKER))
  const known = children.map(() => 0)
  return {
    run: async (work, { options, paths, processes }) => {
      const times: number[] = []
      let bytes = 0
      let cpu = 0
      const since = performance.now()
      await inTurns(paths, processes, async (path, lane) => {
        const child = children[lane]!
        child.send({ work, options, path })
        const done = await new Promise<Done>((resolve, reject) => {
          const gone = (): void => reject(new Error(`A process of the bare loop died of ${path}.`))
          child.once('exit', gone)
          child.once('message', (message: Done) => {
            child.off('exit', gone)
            resolve(message)
          })
        })
        times.push(done.ms)
        bytes += done.bytes
        cpu += done.cpu - known[lane]!
        known[lane] = done.cpu
      })
      return { seconds: (performance.now() - since) / 1000, times, bytes, cpu }
    },
    close: () => {
      for (const child of children) child.disconnect()
    },
  }
}

/** Sends a body and waits for the whole answer; by node:http: fetch takes 1.6 times its CPU, of the cores that the service is measured on. */
const post = (address: string, agent: Agent, body: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': body.length }
    const asked = request(address, { method: 'POST', agent, headers }, async (response) => {
      const result = await buffer(response)
      if (response.statusCode === 200) resolve(result)
      else reject(new Error(`${response.statusCode} ${result.toString()}`))
    })
    asked.on('error', reject).end(body)
  })

/** The same images through the service, uploaded by `clients` clients at once. */
export const throughService = async (
  service: RunningService,
  { clients, options, paths }: { clients: number; options: string; paths: readonly string[] },
): Promise<Run> => {
  const times: number[] = []
  let bytes = 0
  const agent = new Agent({ keepAlive: true })
  const cpuBefore = await service.cpuSeconds()
  const since = performance.now()
  await inTurns(paths, clients, async (path) => {
    const body = await readFile(path)
    const asked = performance.now()
    const result = await post(`${service.address}/demo/${options}`, agent, body)
    times.push(performance.now() - asked)
    bytes += result.length
  })
  const seconds = (performance.now() - since) / 1000
  agent.destroy()
  return { seconds, times, bytes, cpu: (await service.cpuSeconds()) - cpuBefore }
}
