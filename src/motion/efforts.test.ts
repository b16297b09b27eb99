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
  [5e6, 30, ['best']],
  [18e6, 30, ['quick', 'best']],
  [25e6, 30, ['quick', 'good']],
  [10e6, 30, ['quick', 'best']],
  [50e6, 30, ['quick', 'good']],
  [80e6, 30, ['quick']],
  [5e6, 4, ['quick', 'good']],
  [5e6, 0, ['quick']],
])('%i px with %i s left: %j', (pixels, seconds, names) => {
  const chosen = chooseEfforts(EFFORTS, pixels, { remaining: () => seconds * 1000 })
  expect(chosen.map((each) => each?.name)).toEqual(names)
})
