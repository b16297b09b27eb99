import { expect, it } from 'vitest'
import { openAwaySources } from './away-sources.ts'
import { STALE_SECONDS } from './delivery-cache.ts'

it('remembers a source until caches request its stale result again', () => {
  let time = 0
  const sources = openAwaySources({ now: () => time })
  sources.add('a')
  time = STALE_SECONDS * 1000 - 1
  expect([sources.has('a'), sources.has('b')]).toEqual([true, false])
  time += 1
  expect(sources.has('a')).toBe(false)
})

it('forgets the source that was added first when there are more than it may hold', () => {
  const sources = openAwaySources({ max: 2, now: () => 0 })
  for (const name of ['a', 'b', 'a', 'c']) sources.add(name)
  expect(['a', 'b', 'c'].map(sources.has)).toEqual([true, false, true])
})
