import type { AnyRaster, Box } from '../../core/image.ts'
import { lazily } from '../lazily.ts'
import { assertSameSize, assertWhole, hasTransparency } from '../raster.ts'
import { colourShifts, gridOf, tileBox, tileColours } from './tile-colour.ts'

/** Side of a tile as it is seen, in CSS px: 0.4 degrees at arm's length, what colour is seen in. */
export const TILE_SIDE = 16

/** The largest colour shift (CIEDE2000) of any tile's mean, and where. */
export interface LargestShift {
  readonly shift: number
  readonly at: Box
}

/** A reference whose tiles' colours are known. */
export interface TileColourReference {
  /** Throws a RangeError for another size. */
  largestShift(candidate: AnyRaster): LargestShift
}

/** Where anything is transparent in either image, on black and on white; the larger shift counts. */
const BACKGROUNDS = [0, 255]

/** Makes a reference's tiles of `side` px ready. */
export const prepareTileColour = (reference: AnyRaster, side: number): TileColourReference => {
  assertWhole(reference)
  const transparent = hasTransparency(reference)
  const opaque = lazily(() => [tileColours(reference, side)])
  const onBoth = lazily(() => BACKGROUNDS.map((background) => tileColours(reference, side, background)))

  const largestShift = (candidate: AnyRaster): LargestShift => {
    assertWhole(candidate)
    assertSameSize(reference, candidate)
    const alpha = transparent || hasTransparency(candidate)
    const shifts = (alpha ? onBoth() : opaque()).flatMap((colours, i) =>
      colourShifts(colours, tileColours(candidate, side, alpha ? BACKGROUNDS[i] : undefined)),
    )
    const tile = shifts.reduce((worst, shift, index) => (shift > shifts[worst]! ? index : worst), 0)
    const grid = gridOf(reference, side)
    return { shift: shifts[tile]!, at: tileBox(reference, grid, tile % (grid.across * grid.down)) }
  }
  return { largestShift }
}
