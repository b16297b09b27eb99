import { describe, expect, it } from 'vitest'
import type { LogFields } from '../../ports/telemetry.ts'
import { openWorkWatch } from './work-watch.ts'

const open = (everyMs?: number) => {
  const lines: LogFields[] = []
  const steps: [string, number][] = []
  const watch = openWorkWatch(
    { info: (fields) => void lines.push(fields) },
    { advanced: (phase, count) => void steps.push([phase, count]) },
    everyMs,
  )
  return { watch, lines, steps }
}

describe('openWorkWatch', () => {
  it('counts the steps of a phase once, and from 0 when the phase starts again', () => {
    const { watch, steps } = open()
    using work = watch.begin({})
    for (const done of [0, 10, 25, 5]) work.advance({ phase: 'encode', done, of: 25 })
    work.advance({ phase: 'score', done: 2, of: 4 })
    expect(steps).toEqual([
      ['encode', 0],
      ['encode', 10],
      ['encode', 15],
      ['encode', 5],
      ['score', 2],
    ])
  })

  it('sums the progress of running work by phase, without ended work', () => {
    const { watch } = open()
    using one = watch.begin({})
    {
      using other = watch.begin({})
      one.advance({ phase: 'encode', done: 3, of: 10 })
      other.advance({ phase: 'encode', done: 4, of: 20 })
      expect(watch.phases()).toEqual([{ phase: 'encode', done: 7, of: 30 }])
    }
    expect(watch.phases()).toEqual([{ phase: 'encode', done: 3, of: 10 }])
  })

  it('logs work until it ends', async () => {
    const { watch, lines } = open(2)
    {
      using work = watch.begin({ id: 'a', format: 'webm' })
      work.advance({ phase: 'encode pass 1', done: 3, of: 10 })
      await expect.poll(() => lines.length).toBeGreaterThan(1)
    }
    const linesAtEnd = lines.length
    expect(lines[0]).toEqual({
      id: 'a',
      format: 'webm',
      phase: 'encode pass 1',
      done: 3,
      of: 10,
      seconds: expect.any(Number),
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(lines.length).toBe(linesAtEnd)
  })
})
