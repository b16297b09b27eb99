import { expect, it } from 'vitest'
import { chooseEfforts, type Efforts } from './efforts.ts'

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
  [5e6, 30, ['best'], false],
  [10e6, 30, ['quick', 'best'], false],
  [25e6, 30, ['quick', 'good'], false],
  [50e6, 30, ['quick', 'good'], false],
  [80e6, 30, ['quick'], false],
  [5e6, 4, ['quick', 'good'], true],
  [5e6, 0, ['quick'], true],
  [80e6, 0, ['quick'], false],
])('%i px with %i s left: %j, timeLimited: %s', (pixels, seconds, names, timeLimited) => {
  const choice = chooseEfforts(EFFORTS, pixels, { remaining: () => seconds * 1000 })
  expect([choice.efforts.map((each) => each?.name), choice.timeLimited]).toEqual([names, timeLimited])
})
