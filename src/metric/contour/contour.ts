import type { AnyRaster, Box } from '../../core/image.ts'
import type { Density } from '../../core/units.ts'
import { lazily } from '../lazily.ts'
import { assertSameSize, assertWhole, hasTransparency } from '../raster.ts'
import { cellsOf } from './cells.ts'
import { TILE_CELLS, tilesAlong, worstStep } from './false-steps.ts'
import { type LumaPlane, lumaOf, shrinkLuma } from './luma.ts'
import { visibilityOf } from './visibility.ts'

/** False contours and block edges of the worst tile of 32 px as seen, as the height in sample values of one straight step across it; and where. */
export interface WorstContour {
  readonly step: number
  readonly at: Box
}

/** A reference whose smooth places are known. */
export interface ContourReference {
  /** Throws a RangeError for another size. */
  worstContour(candidate: AnyRaster): WorstContour
}

/** Where anything is transparent in either image, on black and on white; the larger step counts. */
const BACKGROUNDS = [0, 255]

interface Smoothness {
  readonly plane: LumaPlane
  readonly visibility: Float32Array
}

/** A tile of the shrunken plane, in px of the image; the last ones of a row and column take the rest. */
const boxOf = (
  { width, height }: AnyRaster,
  { plane, tile }: { plane: LumaPlane; tile: number },
  density: Density,
): Box => {
  const { across, down } = cellsOf(plane)
  const tiles = tilesAlong(across)
  const [column, row] = [tile % tiles, Math.floor(tile / tiles)]
  const side = 2 * TILE_CELLS * density
  return {
    left: column * side,
    top: row * side,
    width: column === tiles - 1 ? width - column * side : side,
    height: row === tilesAlong(down) - 1 ? height - row * side : side,
  }
}

/** Makes a reference ready; at a density both images are first shrunk to the size that is seen. */
export const prepareContour = (reference: AnyRaster, density: Density): ContourReference => {
  assertWhole(reference)
  const seen = (image: AnyRaster, background?: number): LumaPlane => shrinkLuma(lumaOf(image, background), density)
  const smoothness = (background?: number): Smoothness => {
    const plane = seen(reference, background)
    return { plane, visibility: visibilityOf(plane) }
  }
  const transparent = hasTransparency(reference)
  const opaque = lazily(() => smoothness())
  const onBoth = lazily(() => BACKGROUNDS.map(smoothness))

  const contourOn = ({ plane, visibility }: Smoothness, candidate: LumaPlane): WorstContour => {
    const { step, tile } = worstStep(plane, candidate, visibility)
    return { step, at: boxOf(reference, { plane, tile }, density) }
  }

  const worstContour = (candidate: AnyRaster): WorstContour => {
    assertWhole(candidate)
    assertSameSize(reference, candidate)
    if (!transparent && !hasTransparency(candidate)) return contourOn(opaque(), seen(candidate))
    return onBoth()
      .map((smooth, i) => contourOn(smooth, seen(candidate, BACKGROUNDS[i])))
      .reduce((worse, one) => (one.step > worse.step ? one : worse))
  }
  return { worstContour }
}
