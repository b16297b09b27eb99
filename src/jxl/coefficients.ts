/** One component of a JPEG: quantised coefficients, 64 a block in zigzag order, rows of `stride` blocks padded to whole MCUs. */
export interface QuantisedComponent {
  readonly h: 1 | 2
  readonly v: 1 | 2
  readonly stride: number
  readonly rows: number
  readonly coefficients: Int16Array
  /** Quantisation steps, zigzag order. */
  readonly quantTable: Uint16Array
}

/** Quantised coefficients of a JPEG in YCbCr or grey, and its size in pixels: what is written as JPEG XL. */
export interface Coefficients {
  readonly width: number
  readonly height: number
  /** Y, Cb and Cr, or Y alone. */
  readonly components:
    | readonly [QuantisedComponent]
    | readonly [QuantisedComponent, QuantisedComponent, QuantisedComponent]
}

/** Raster index, 8 y + x, by place in zigzag order. */
export const ZIGZAG: readonly number[] = Array.from({ length: 15 }, (_, sum) => {
  const diagonal = Array.from({ length: 8 }, (_, y) => ({ y, x: sum - y })).filter(({ x }) => x >= 0 && x < 8)
  return (sum % 2 === 0 ? diagonal.reverse() : diagonal).map(({ x, y }) => 8 * y + x)
}).flat()

/** Place in zigzag order by raster index. */
export const UNZIGZAG: readonly number[] = Array.from({ length: 64 }, (_, raster) => ZIGZAG.indexOf(raster))

/** Raster index of the same coefficient in JPEG XL, whose blocks are transposed. */
export const transposed = (raster: number): number => (raster % 8) * 8 + (raster >> 3)
