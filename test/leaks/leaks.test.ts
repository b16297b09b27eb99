import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Case, FIXTURES, start } from '../http/start.ts'

let service: Case
beforeAll(async () => {
  // Whatever is kept for a limited time is gone after two seconds.
  service = await start({
    env: { WORKERS: '1', FETCH_TIMEOUT: '1s', UPLOAD_TIMEOUT: '1s', MAX_TIMEOUT: '2s', REDIRECT_AFTER: '2s' },
  })
})
afterAll(() => service[Symbol.asyncDispose]())

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes in the heap of the service's own process once nothing superfluous is left there. */
const heap = (): number => {
  for (let times = 0; times < 3; times += 1) collect()
  return process.memoryUsage().heapUsed
}
const descriptors = (): number => readdirSync('/proc/self/fd').length
const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

const PNG = readFileSync(join(FIXTURES, 'pixels/pngsuite__basn3p02.png'))
const upload = (options: string, body: Uint8Array) => service.post(`anna/${options}`, { body: Buffer.from(body) })

/** A bit of everything that is answered without much work: found, new, refused, damaged, given up. */
const round = async (turn: number): Promise<void> => {
  const form = new FormData()
  form.append('file', new Blob([PNG]), 'image.png')
  const answers = await Promise.all([
    service.post(`anna/full/${service.file('pixels/pngsuite__basn3p02.png')}`),
    service.post(`anna/20/${service.file(`pixels/pngsuite__basn3p02.png?turn=${turn}`)}`),
    upload('full', PNG),
    service.post('anna/full', { body: form }),
    upload('full', PNG.subarray(0, 60)),
    upload('full', Buffer.from('no image')),
    service.post(`anna/full/${service.file('http/missing.png')}`),
    service.post('anna/full/http://127.0.0.1:1/nobody-listens.png'),
    service.post('nobody/full/http://example.com/'),
    service.post('anna/300y200/http://example.com/'),
    fetch(`${new URL(service.url).origin}/-/metrics`),
  ])
  await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  const leaving = new AbortController()
  const left = service.post(`anna/${turn + 30}/${service.file('jpeg/kodim23-190x158.png')}`, { signal: leaving.signal })
  void setTimeout(5).then(() => leaving.abort())
  await left.then((answer) => answer.arrayBuffer()).catch(() => undefined)
}

/** Longer than any of the service's timers, by its settings. */
const OUTLAST_MS = 3000
const rounds = async (from: number, to: number): Promise<void> => {
  for (let turn = from; turn < to; turn += 1) await round(turn)
  await expect.poll(service.leftovers).toEqual([])
  await setTimeout(OUTLAST_MS)
}

const WARM = 60
const ALL = 240

describe('requests leave nothing behind', () => {
  it('no descriptors, timers or memory, whatever became of them', async () => {
    await rounds(0, WARM)
    const before = {
      heap: heap(),
      buffers: process.memoryUsage().external,
      descriptors: descriptors(),
      timers: timers(),
    }
    await rounds(WARM, ALL)
    // Measured: 1.6 MB as it is, compiled code and bounded memories; 5 MB when request objects alone are kept.
    expect(heap() - before.heap).toBeLessThan(3_000_000)
    expect(process.memoryUsage().external - before.buffers).toBeLessThan(500_000)
    expect(descriptors()).toBeLessThanOrEqual(before.descriptors + 4)
    expect(timers()).toBeLessThanOrEqual(before.timers + 4)
  }, 300_000)
})
