/**
 * False steps once more, in plain double-precision loops and straight from their definition (docs/design/metric.md): the yardstick for the kernel, with which
 * it shares nothing. For opaque images; slow, and it keeps whole planes.
 */
import type { AnyRaster } from '../../src/core/image.ts'

interface Plane {
  readonly width: number
  readonly height: number
  readonly at: (x: number, y: number) => number
}

const filled = (width: number, height: number, value: (x: number, y: number) => number): Plane => {
  const values = Float64Array.from({ length: width * height }, (_, i) => value(i % width, Math.floor(i / width)))
  return { width, height, at: (x, y) => values[y * width + x]! }
}

/** Luma in 1/16 of a sample value, of the size that is seen at a density. */
const lumaOf = ({ data, width, height, channels }: AnyRaster, density: number): Plane => {
  const [green, blue] = channels > 2 ? [1, 2] : [0, 0]
  const luma = (x: number, y: number): number => {
    const at = (y * width + x) * channels
    return Math.floor((1225 * data[at]! + 2404 * data[at + green]! + 467 * data[at + blue]!) / 256)
  }
  const [wide, high] = [Math.min(density, width), Math.min(density, height)]
  return filled(Math.max(1, Math.floor(width / density)), Math.max(1, Math.floor(height / density)), (x, y) => {
    let sum = 0
    for (let row = 0; row < high; row++)
      for (let column = 0; column < wide; column++) sum += luma(x * density + column, y * density + row)
    return Math.floor(sum / (wide * high))
  })
}

/** The sum over cells from `left`, `top` up to `right`, `bottom`; those outside are left out. */
const sumOf = (
  { width, height, at }: Plane,
  [left, top, right, bottom]: readonly [number, number, number, number],
): number => {
  let sum = 0
  for (let y = Math.max(0, top); y < Math.min(height, bottom); y++)
    for (let x = Math.max(0, left); x < Math.min(width, right); x++) sum += at(x, y)
  return sum
}

/** Of each cell of 2 x 2 px the mean square of second differences at its first row and column. */
const textureOf = ({ width, height, at }: Plane): Plane => {
  const near = (x: number, y: number): number =>
    at(Math.max(0, Math.min(width - 1, x)), Math.max(0, Math.min(height - 1, y)))
  const bent = (x: number, y: number, dx: number, dy: number): number =>
    (near(x - dx, y - dy) + near(x + dx, y + dy) - 2 * near(x, y)) ** 2
  return filled(width >> 1, height >> 1, (cellX, cellY) => {
    const [x, y] = [2 * cellX, 2 * cellY]
    return (bent(x, y, 1, 0) + bent(x + 1, y, 1, 0) + bent(x, y, 0, 1) + bent(x, y + 1, 0, 1)) / 4
  })
}

/** Of each corner between cells how much of a step is seen, 0..1. */
const visibilityOf = (texture: Plane): Plane =>
  filled(texture.width + 1, texture.height + 1, (x, y) => {
    const inside = x >= 2 && y >= 2 && x <= texture.width - 2 && y <= texture.height - 2
    if (!inside) return 0
    const cells =
      (Math.min(texture.width, x + 3) - Math.max(0, x - 3)) * (Math.min(texture.height, y + 3) - Math.max(0, y - 3))
    const seen = 1 / (1 + sumOf(texture, [x - 3, y - 3, x + 3, y + 3]) / cells / 40 ** 2)
    return seen < 0.1 ? 0 : seen
  })

/** The worst tile's false steps, as one straight step's height in sample values. */
export const plainContour = (reference: AnyRaster, candidate: AnyRaster, density: number): number => {
  const [was, is] = [lumaOf(reference, density), lumaOf(candidate, density)]
  const off = (x: number, y: number): number => is.at(x, y) - was.at(x, y)
  const [across, down] = [was.width >> 1, was.height >> 1]
  const error = filled(
    across,
    down,
    (x, y) => off(2 * x, 2 * y) + off(2 * x + 1, 2 * y) + off(2 * x, 2 * y + 1) + off(2 * x + 1, 2 * y + 1),
  )
  const noise = filled(
    across,
    down,
    (x, y) => (off(2 * x, 2 * y) - off(2 * x + 1, 2 * y) - off(2 * x, 2 * y + 1) + off(2 * x + 1, 2 * y + 1)) ** 2,
  )
  const visibility = visibilityOf(textureOf(was))
  const tileAlong = (at: number, cells: number): number => Math.min(Math.max(1, cells >> 4) - 1, at >> 4)
  const tiles = new Map<string, [squares: number, columns: number, rows: number]>()
  for (let y = 2; y <= down - 2; y++) {
    for (let x = 2; x <= across - 2; x++) {
      const seen = visibility.at(x, y)
      const byColumn = (sumOf(error, [x - 2, y - 2, x, y + 2]) - sumOf(error, [x, y - 2, x + 2, y + 2])) / 32
      const byRow = (sumOf(error, [x - 2, y - 2, x + 2, y]) - sumOf(error, [x - 2, y, x + 2, y + 2])) / 32
      const chance = (sumOf(noise, [x - 2, y - 2, x + 2, y + 2]) * 4) / 16 / 32
      const name = `${tileAlong(x, across)} ${tileAlong(y, down)}`
      const [squares, columns, rows] = tiles.get(name) ?? [0, 0, 0]
      const square = Math.max(0, byColumn ** 2 + byRow ** 2 - chance) * seen ** 2
      tiles.set(name, [squares + square, columns + byColumn * seen, rows + byRow * seen])
    }
  }
  // The last tile of a side takes the rest: its pixels, in whole tiles.
  const sideOf = (index: number, cells: number, length: number): number =>
    index < Math.max(1, cells >> 4) - 1 ? 1 : length / (32 * density) - index
  const squares = [...tiles].map(([name, [square, columns, rows]]) => {
    const [column, row] = name.split(' ').map(Number) as [number, number]
    const area = sideOf(column, across, reference.width) * sideOf(row, down, reference.height)
    const corners = 256 * Math.max(1, area)
    return square / corners - (columns ** 2 + rows ** 2) / corners ** 2
  })
  return Math.sqrt(Math.max(0, ...squares) * 12) / 16
}

/** Sums over tiles in rows, three a tile, of what `lightOf` makes of red, green and blue; the last tile of a side takes the rest where `takesRest`. */
export const plainSums = (
  { data, width, height, channels }: AnyRaster,
  { side, takesRest }: { readonly side: number; readonly takesRest: boolean },
  lightOf: (value: number) => number,
): number[] => {
  const least = takesRest ? 1 : 0
  const [across, down] = [width, height].map((length) => Math.max(least, Math.floor(length / side))) as [number, number]
  const sums = Array.from({ length: across * down * 3 }, () => 0)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let [column, row] = [Math.floor(x / side), Math.floor(y / side)]
      if (takesRest) [column, row] = [Math.min(across - 1, column), Math.min(down - 1, row)]
      if (column >= across || row >= down) continue
      for (let channel = 0; channel < 3; channel++) {
        const at = (y * width + x) * channels + (channels > 2 ? channel : 0)
        sums[(row * across + column) * 3 + channel]! += lightOf(data[at]!)
      }
    }
  }
  return sums
}

/** By tile whether it is plain: 1 where no channel of any pixel is more than 5 levels off the first pixel's. */
export const plainMarks = ({ data, width, height, channels }: AnyRaster, side: number): number[] => {
  const [across, down] = [Math.floor(width / side), Math.floor(height / side)]
  return Array.from({ length: across * down }, (_, tile) => {
    const first = (Math.floor(tile / across) * width + (tile % across)) * side * channels
    const offsets = Array.from({ length: side * side * channels }, (_, i) => {
      const [row, column] = [Math.floor(i / (side * channels)), i % (side * channels)]
      return Math.abs(data[first + row * width * channels + column]! - data[first + (column % channels)]!)
    })
    return Math.max(...offsets) > 5 ? 0 : 1
  })
}
