import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ABLATIONS } from '../../bench/crop/ablations.ts'

const ATTENTION = new URL('../../src/attention/', import.meta.url)

it('replaces text that stands once in its file, for each rule of crop=auto that can be switched off', () => {
  const found = ABLATIONS.flatMap(({ rule, changes }) =>
    changes.map(({ file, from }) => [rule, readFileSync(new URL(file, ATTENTION), 'utf8').split(from).length - 1]),
  )
  expect(found.filter(([, times]) => times !== 1)).toEqual([])
})
