import { expect, it } from 'vitest'
import { findRoot, singletons, unite } from './union-find.ts'

it('unites sets through their members under the smallest root', () => {
  const forest = singletons(6)
  unite(forest, 4, 5)
  unite(forest, 2, 3)
  unite(forest, 5, 3)
  expect([0, 1, 2, 3, 4, 5].map((member) => findRoot(forest, member))).toEqual([0, 1, 2, 2, 2, 2])
})
