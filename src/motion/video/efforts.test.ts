import { expect, it } from 'vitest'
import { chooseEffort, type Efforts } from './efforts.ts'

const effort = (name: string, secondsPerMegapixel: number, mostPixels: number) => ({
  name,
  secondsPerMegapixel,
  mostPixels,
  passes: [[]],
})
const EFFORTS: Efforts = [
  effort('quick', 0.1, Number.POSITIVE_INFINITY),
  effort('good', 0.5, 60e6),
  effort('best', 1, 20e6),
]

it.each([
  [5e6, 30, 'best', false, false],
  [10e6, 30, 'best', true, false],
  [25e6, 30, 'good', true, false],
  [50e6, 30, 'good', true, false],
  [80e6, 90, 'quick', false, false],
  [80e6, 30, 'quick', true, false],
  [5e6, 4, 'good', true, true],
  [5e6, 0, 'quick', true, true],
  [80e6, 0, 'quick', true, false],
])('%i px with %i s left: %s, risky: %s, timeLimited: %s', (pixels, seconds, name, isRisky, timeLimited) => {
  const choice = chooseEffort(EFFORTS, pixels, { remaining: () => seconds * 1000 })
  expect([choice.effort.name, choice.isRisky, choice.timeLimited]).toEqual([name, isRisky, timeLimited])
})
