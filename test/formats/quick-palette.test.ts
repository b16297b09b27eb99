import { expect, it } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { type Examined, IDENTICAL } from '../../src/formats/format.ts'
import { openImagePalettes } from '../../src/formats/palette-search.ts'
import { quickPalette } from '../../src/formats/quick-palette.ts'
import { scriptedRequest } from './request.ts'

const ENTRY_BYTES = 4
const grain = (i: number): number => Math.imul((Math.imul(i + 1, 0x9e3779b1) >>> 15) ** 2, 0x85ebca6b) >>> 24
/** More colours than 16,384. */
const pixels: Raster = {
  width: 256,
  height: 256,
  channels: 3,
  data: Uint8Array.from({ length: 256 * 256 * 3 }, (_, i) => 100 + (grain(i) & 31)),
}

/** The palette of an image whose first palette lies `above` the goal, and how many were measured. */
const paletteWhere = (above: number) => {
  const shown: number[] = []
  const examine = (): Examined => {
    shown.push(above)
    return shown.length > 1 ? IDENTICAL : { ...IDENTICAL, keeps: above >= 0, effective: 70 + above }
  }
  const proven = quickPalette(scriptedRequest({ pixels, examine }), openImagePalettes(pixels))
  return { entries: proven && proven.shown.table.length / ENTRY_BYTES, measured: shown.length }
}

it('a quick palette of many colours is the largest where that keeps every bound', () => {
  expect(paletteWhere(0.5)).toEqual({ entries: 256, measured: 1 })
})

it('a quick palette has a few colours less where the largest just breaks a bound', () => {
  expect(paletteWhere(-0.5)).toEqual({ entries: 226, measured: 2 })
})

it('a quick palette is not searched further where the largest breaks a bound by far', () => {
  expect(paletteWhere(-3)).toEqual({ entries: undefined, measured: 1 })
})
