import { expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'

const SIDE = 256

const noise = (factor: number): AnyRaster => ({
  width: SIDE,
  height: SIDE,
  channels: 3,
  data: Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, i) => (i * factor) % 251),
})

/** The same pixels, of which the last rows cannot be read. */
const unreadable = (image: AnyRaster): AnyRaster => {
  const data = Uint8Array.from(image.data)
  const read = data.subarray.bind(data)
  data.subarray = (from = 0, to = data.length) => {
    if (to === data.length) throw new Error('no more rows')
    return read(from, to)
  }
  return { ...image, data }
}

it('a first comparison that fails midway leaves nothing of the reference to the next one', async () => {
  const ssimulacra = await openSsimulacra2()
  using reference = ssimulacra.prepare(noise(37))
  const candidate = noise(41)
  expect(reference.kept).toBe(true)
  expect(() => reference.compare(unreadable(candidate))).toThrow('no more rows')
  using other = ssimulacra.prepare(noise(37))
  expect(reference.compare(candidate)).toBe(other.compare(candidate))
})
