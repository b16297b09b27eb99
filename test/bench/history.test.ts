import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareRuns, type Reading, type Run, regressions } from '../../bench/history/compare.ts'

const run = (...readings: readonly Reading[]): Run => ({
  version: '1.0.0',
  date: '2026-01-01',
  platform: 'x64',
  note: '',
  cpu: 1,
  readings,
})
const reading = (file: string, bytes: number, options = 'full'): Reading => ({ file, options, bytes })

describe('the comparison of two runs', () => {
  it('is the geometric mean of their ratios, for each option list', () => {
    const before = run(reading('a', 100), reading('b', 1000), reading('a', 50, 'full,quality=low'))
    const after = run(reading('a', 200), reading('b', 500), reading('a', 45, 'full,quality=low'))
    expect(compareRuns(before, after)).toEqual([
      { options: 'full', images: 2, ratio: expect.closeTo(1) },
      { options: 'full,quality=low', images: 1, ratio: expect.closeTo(0.9) },
    ])
  })

  it('covers the images that both runs have', () => {
    expect(compareRuns(run(reading('a', 100)), run(reading('a', 90), reading('new', 9)))).toEqual([
      { options: 'full', images: 1, ratio: expect.closeTo(0.9) },
    ])
  })

  it('fails above one per cent more bytes', () => {
    const before = run(reading('a', 1000))
    expect(regressions(before, run(reading('a', 1009)))).toEqual([])
    expect(regressions(before, run(reading('a', 1021)))).toEqual([
      '"full": 2.1 % more bytes than in 1.0.0 of 2026-01-01 (1 images)',
    ])
  })
})

describe('the history in the project', () => {
  const folder = join(import.meta.dirname, '../../bench')
  const history = JSON.parse(readFileSync(join(folder, 'history.json'), 'utf8')) as readonly Run[]

  it('is of the public images as they are, each with its origin', () => {
    const files = readdirSync(join(folder, 'public')).filter((name) => name !== 'ORIGINS.tsv')
    expect(new Set(history.at(-1)?.readings.map(({ file }) => file))).toEqual(new Set(files))
    const origins = readFileSync(join(folder, 'public/ORIGINS.tsv'), 'utf8').trim().split('\n').slice(1)
    expect(origins.map((line) => line.split('\t')[0]).sort()).toEqual(files.sort())
  })

  it('holds no regression that its own gate would have stopped', () => {
    for (const [at, after] of history.entries()) {
      if (at > 0 && !after.note.startsWith('accepted:')) expect(regressions(history[at - 1]!, after)).toEqual([])
    }
  })
})
