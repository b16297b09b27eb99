import { expect, it } from 'vitest'
import { AXES, distanceOf, divide, histogramPoints, settlePalette, toPoints } from './cluster.ts'

/** 2,000 colours that a congruential generator gives, each of another number of pixels. */
const histogram = () => {
  let state = 1
  const next = () => {
    state = (state * 48_271) % 0x7fffffff
    return state >> 8
  }
  const colours = Uint8Array.from({ length: 2000 * AXES }, () => next() & 255)
  return { colours, counts: Uint32Array.from({ length: 2000 }, () => 1 + (next() & 15)) }
}

it('a settled palette gives every colour one of its nearest entries', () => {
  const image = histogram()
  const groups = divide(image, 40)(40)
  const { table, nearest } = settlePalette(image, groups, 6)
  const [points, entries] = [histogramPoints(image), toPoints(table)]
  const distances = (colour: number) =>
    Array.from({ length: table.length / AXES }, (_, entry) => distanceOf(points, colour, entries, entry))
  const farther = [...nearest].filter((entry, colour) => distances(colour)[entry]! > Math.min(...distances(colour)))
  expect(farther).toEqual([])
})

it('clusters of an image are those that fewer clusters were split into', () => {
  const image = histogram()
  const groupsAt = divide(image, 40)
  for (const size of [1, 7, 25, 40]) expect(groupsAt(size)).toEqual(divide(image, size)(size))
  const [few, many] = [groupsAt(7), groupsAt(25)]
  expect(new Set(many).size).toBe(25)
  expect(new Set([...many].map((group, colour) => `${group} ${few[colour]}`)).size).toBe(25)
})
