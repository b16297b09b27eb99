import type { AnyRaster, Box } from '../../core/image.ts'
import { ciede2000 } from './ciede2000.ts'
import { type Lab, LINEAR_LIGHT, labOf } from './lab.ts'

/** The mean colours of an image's tiles on one background, in rows. */
export type TileColours = readonly Lab[]

/** Square tiles of `side` px; the last one of a row or column takes the rest. */
export interface TileGrid {
  readonly side: number
  readonly across: number
  readonly down: number
}

/** The grid of an image of width x height px. */
export const gridOf = ({ width, height }: { width: number; height: number }, side: number): TileGrid => ({
  side,
  across: Math.max(1, Math.floor(width / side)),
  down: Math.max(1, Math.floor(height / side)),
})

/** Where tile `index` lies. */
export const tileBox = ({ width, height }: AnyRaster, { side, across, down }: TileGrid, index: number): Box => {
  const [column, row] = [index % across, Math.floor(index / across)]
  return {
    left: column * side,
    top: row * side,
    width: column === across - 1 ? width - column * side : side,
    height: row === down - 1 ? height - row * side : side,
  }
}

/** Adds the light of one row of px to the sums of its tiles (red, green, blue each). */
type AddRow = (data: Uint8Array, from: number, sums: Float64Array) => void

const addOpaque =
  ({ width, channels }: AnyRaster, { side, across }: TileGrid): AddRow =>
  (data, from, sums) => {
    const [green, blue] = channels > 2 ? [1, 2] : [0, 0]
    for (let tile = 0, x = 0; tile < across; tile++) {
      const end = tile === across - 1 ? width : x + side
      let [r, g, b] = [0, 0, 0]
      for (; x < end; x++, from += channels) {
        r += LINEAR_LIGHT[data[from]! << 4]!
        g += LINEAR_LIGHT[data[from + green]! << 4]!
        b += LINEAR_LIGHT[data[from + blue]! << 4]!
      }
      sums[tile * 3]! += r
      sums[tile * 3 + 1]! += g
      sums[tile * 3 + 2]! += b
    }
  }

/** Composited in sRGB, as browsers do, on a background of 0 or 255. */
const addOn =
  ({ width, channels }: AnyRaster, { side, across }: TileGrid, background: number): AddRow =>
  (data, from, sums) => {
    const [green, blue] = channels > 2 ? [1, 2] : [0, 0]
    for (let x = 0; x < width; x++, from += channels) {
      const at = Math.min(across - 1, Math.floor(x / side)) * 3
      const alpha = data[from + channels - 1]!
      const rest = (255 - alpha) * background
      const light = (sample: number): number => LINEAR_LIGHT[Math.round(((sample * alpha + rest) * 16) / 255)]!
      sums[at]! += light(data[from]!)
      sums[at + 1]! += light(data[from + green]!)
      sums[at + 2]! += light(data[from + blue]!)
    }
  }

/**
 * The mean colour of each tile of so many px. Means are taken in linear light: that is what an eye too far away to
 * see single pixels receives, so that a dither is as light as the tone it stands for. `background`: 0 black, 255 white, for alpha; undefined when there is none.
 */
export const tileColours = (image: AnyRaster, side: number, background?: number): TileColours => {
  const grid = gridOf(image, side)
  const hasAlpha = image.channels === 2 || image.channels === 4
  const add = background === undefined || !hasAlpha ? addOpaque(image, grid) : addOn(image, grid, background)
  const sums = new Float64Array(grid.across * grid.down * 3)
  for (let y = 0; y < image.height; y++) {
    const first = Math.min(grid.down - 1, Math.floor(y / side)) * grid.across * 3
    add(image.data, y * image.width * image.channels, sums.subarray(first, first + grid.across * 3))
  }
  return Array.from({ length: grid.across * grid.down }, (_, tile) => {
    const { width, height } = tileBox(image, grid, tile)
    const pixels = width * height
    return labOf(sums[tile * 3]! / pixels, sums[tile * 3 + 1]! / pixels, sums[tile * 3 + 2]! / pixels)
  })
}

/** CIEDE2000 of each pair of tiles. */
export const colourShifts = (one: TileColours, other: TileColours): number[] =>
  one.map((colour, tile) => ciede2000(colour, other[tile]!))
