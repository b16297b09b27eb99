import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import type { ResultFile } from '../../src/core/outcome.ts'
import { type Entry, openBestResult } from '../../src/engine/child/best-result.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'shelf-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const entry = (bytes: number, changes: Partial<Entry> = {}): Entry => ({
  format: 'webp',
  width: 1,
  height: 1,
  data: new Uint8Array(bytes).fill(bytes),
  score: 71,
  meetsTarget: true,
  ...changes,
})

const open = () => {
  const offers: ResultFile[] = []
  const report = {
    deadline: deadlineIn(60_000),
    stage: () => undefined,
    offer: (result: ResultFile) => void offers.push(result),
  }
  return { offers, shelf: openBestResult(directory, report) }
}

describe('the shelf', () => {
  it('has no best result and no bytes to beat at first', () => {
    const { shelf } = open()
    expect([shelf.best(), shelf.bytesToBeat()]).toEqual([undefined, Number.POSITIVE_INFINITY])
  })

  it('offers what is better, and nothing else', async () => {
    const { shelf, offers } = open()
    for (const bytes of [90, 100, 80]) await shelf.add(entry(bytes))
    expect(offers.map(({ bytes }) => bytes)).toEqual([90, 80])
    expect(shelf.bytesToBeat()).toBe(80)
    for (const { path, bytes } of offers) expect((await readFile(path)).length).toBe(bytes)
  })

  it('has no bytes to beat while the target is missed', async () => {
    const { shelf } = open()
    await shelf.add(entry(50, { score: 60, meetsTarget: false }))
    expect(shelf.bytesToBeat()).toBe(Number.POSITIVE_INFINITY)
    await shelf.add(entry(500))
    expect([shelf.bytesToBeat(), shelf.best()!.bytes]).toEqual([500, 500])
  })

  it('counts encodes: none for the own bytes of a source, one at least for anything else', async () => {
    const { shelf, offers } = open()
    await shelf.add(entry(90, { untouched: true }))
    await shelf.add(entry(80))
    shelf.encoded()
    shelf.encoded()
    await shelf.add(entry(70))
    expect(offers.map(({ encodes }) => encodes)).toEqual([0, 1, 2])
    expect(shelf.best()!.encodes).toBe(2)
  })
})
