import { describe, expect, it } from 'vitest'
import { optionsOf, sourceOf } from '../../../test/plan-samples.ts'
import type { ResultFile } from '../../core/outcome.ts'
import type { Task } from '../task.ts'
import { answerFor } from './respond.ts'

const file: ResultFile = {
  format: 'jpeg',
  path: '/job/result-1',
  bytes: 3,
  width: 3,
  height: 2,
  frames: 1,
  encodes: 1,
  warnings: ['said before'],
}

const warningsOf = (timeout: number, cutShort: boolean) => {
  const task = { options: optionsOf({ timeout }), maxTimeout: 30, facts: sourceOf({}) } as Partial<Task> as Task
  const result = { file: { ...file, cutShort }, body: Buffer.from('abc'), etag: '"abc"', stages: {} }
  return answerFor(task, result).warnings
}

describe('answerFor', () => {
  it('warns of a search that was cut short, and advises a longer timeout', () =>
    expect(warningsOf(3, true)).toEqual([
      'said before',
      'timeout=3 left no time to search further: this is the best result so far. Raise it for a smaller one.',
    ]))

  it('advises no longer timeout than the maximum', () =>
    expect(warningsOf(30, true)).toEqual([
      'said before',
      'timeout=30 left no time to search further: this is the best result so far.',
    ]))

  it('adds no warning to a complete search', () => expect(warningsOf(3, false)).toEqual(['said before']))
})
