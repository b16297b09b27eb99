import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AnyRaster } from '../../src/core/image.ts'
import { openArtefacts } from '../../src/metric/artefacts/artefacts.ts'
import type { ArtefactsExports } from '../../src/metric/artefacts/artefacts-exports.ts'
import { feedRows, loadKernel, type Side } from '../../src/metric/row-kernel.ts'
import { linearLight } from '../metric/linear-light.ts'
import { plainContour, plainMarks, plainSums } from './plain-places.ts'

const artefacts = await openArtefacts()

/** Slopes with some texture on them, and the same in steps: what contours are sought in. */
const pictures = fc
  .record({
    width: fc.integer({ min: 1, max: 150 }),
    height: fc.integer({ min: 1, max: 90 }),
    channels: fc.constantFrom(1 as const, 3 as const),
    texture: fc.integer({ min: 0, max: 30 }),
    step: fc.integer({ min: 1, max: 24 }),
    density: fc.constantFrom(1 as const, 2 as const, 3 as const),
    seed: fc.nat(),
  })
  .map(({ width, height, channels, texture, step, density, seed }) => {
    let state = seed | 1
    const data = Uint8Array.from({ length: width * height * channels }, (_, i) => {
      state = Math.imul(state, 1664525) + 1013904223
      const pixel = Math.floor(i / channels)
      const busy = Math.floor((pixel % width) / 48) % 2 === 1 ? (texture * (state >>> 8)) / 2 ** 24 : 0
      return Math.max(0, Math.min(255, Math.round(30 + (pixel % width) + Math.floor(pixel / width) / 3 + busy)))
    })
    const picture: AnyRaster = { data, width, height, channels }
    return { picture, stepped: { ...picture, data: data.map((value) => Math.round(value / step) * step) }, density }
  })

const kernel = loadKernel<ArtefactsExports, ArtefactsExports>('artefacts', (exports) => exports)()
const feed = (side: Side, image: AnyRaster): void => {
  kernel.restart()
  for (let from = 0; from < image.height; from += kernel.rowsAtOnce())
    feedRows(kernel, side, { image, from, count: Math.min(kernel.rowsAtOnce(), image.height - from), grey: -1 })
}
/** A sample value of 1 in the sums of plain tiles. */
const one = 2 ** 14

/** Images of all levels, of few (all tiles are flat), and of some. */
const noise = fc
  .record({
    width: fc.integer({ min: 1, max: 120 }),
    height: fc.integer({ min: 1, max: 90 }),
    channels: fc.constantFrom(1 as const, 3 as const, 4 as const),
    density: fc.constantFrom(1 as const, 2 as const, 3 as const),
    levels: fc.constantFrom(6, 7, 256),
    seed: fc.nat(),
  })
  .map(({ width, height, channels, density, levels, seed }) => {
    let state = seed | 1
    const data = Uint8Array.from({ length: width * height * channels }, (_, i) => {
      state = Math.imul(state, 1664525) + 1013904223
      // One level too many, now and then.
      const level = (state >>> 24) % levels
      return channels === 4 && i % 4 === 3 ? 255 : level === 6 && (state >>> 16) & 15 ? 0 : level
    })
    const picture: AnyRaster = { data, width, height, channels }
    return { picture, density }
  })

const bright = (value: number): number => 255 * (value / 255) ** 1.25

/** Near but for what whole numbers round away. */
const expectNear = (found: ArrayLike<number>, expected: readonly number[], rounding: number): void => {
  expect(found.length).toBe(expected.length)
  for (const [i, value] of expected.entries()) expect(Math.abs(found[i]! - value)).toBeLessThan(rounding + 1e-6 * value)
}

describe('the kernel for places', () => {
  it('sums up the light of tiles and finds the plain ones, whatever the size, the channels and the density', () => {
    fc.assert(
      fc.property(noise, ({ picture, density }) => {
        kernel.configure(picture.width, picture.height, density)
        for (const side of ['reference', 'candidate'] as const) {
          feed(side, picture)
          const colours = plainSums(picture, { side: 16 * density, takesRest: true }, linearLight)
          expectNear(new Float64Array(kernel.memory.buffer, kernel.coloursAddress(), colours.length), colours, 1e-6)
          const plain = plainSums(picture, { side: 4 * density, takesRest: false }, bright)
          const at = side === 'reference' ? kernel.plainWasAddress() : kernel.plainShownAddress()
          const sums = new Uint32Array(kernel.memory.buffer, at, plain.length)
          expectNear(
            Array.from(sums, (sum) => sum / one),
            plain,
            (4 * density) ** 2 / one,
          )
        }
        const marks = plainMarks(picture, 4 * density)
        expect([...new Uint8Array(kernel.memory.buffer, kernel.plainMarksAddress(), marks.length)]).toEqual(marks)
      }),
      { numRuns: 60 },
    )
  })

  it('finds the false steps of the definition', () => {
    fc.assert(
      fc.property(pictures, ({ picture, stepped, density }) => {
        using reference = artefacts.prepare(picture, density)
        const { contour, bleeding } = reference.worst(stepped)
        // The figure is that of bleeding where that is larger.
        const expected = Math.max(bleeding, plainContour(picture, stepped, density))
        expect(Math.abs(contour.figure - expected)).toBeLessThan(1e-3 + expected * 1e-4)
      }),
      { numRuns: 60 },
    )
  })

  it('serves one image after the other from the same memory', () => {
    const wide: AnyRaster = { data: new Uint8Array(300 * 40).fill(90), width: 300, height: 40, channels: 1 }
    const small: AnyRaster = { data: new Uint8Array(64 * 64).fill(90), width: 64, height: 64, channels: 1 }
    const stepped = { ...small, data: small.data.map((value, i) => value + (i % 64 < 30 ? 8 : 0)) }
    const seen = (image: AnyRaster, candidate: AnyRaster) => {
      using reference = artefacts.prepare(image, 1)
      return reference.worst(candidate)
    }
    const alone = seen(small, stepped)
    expect(seen(wide, wide).contour.figure).toBe(0)
    expect(seen(small, stepped)).toEqual(alone)
    expect(alone.contour.figure).toBeGreaterThan(5)
  })
})
