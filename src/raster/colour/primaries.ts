import type { CodePoints } from '../../core/image.ts'

/** A 3 x 3 matrix in rows, applied to a column of red, green and blue. */
export type ColourMatrix = readonly [Row, Row, Row]
type Row = readonly [number, number, number]

type Chromaticity = readonly [x: number, y: number]

/** Chromaticities of red, green, blue and white. */
export interface Primaries {
  readonly red: Chromaticity
  readonly green: Chromaticity
  readonly blue: Chromaticity
  /** Default: D65. */
  readonly white?: Chromaticity
}

/** Primaries with D65 white, by number of ITU-T H.273, table 2. Other numbers count as sRGB's. */
const BY_NUMBER: Readonly<Record<number, Primaries>> = {
  1: { red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06] },
  5: { red: [0.64, 0.33], green: [0.29, 0.6], blue: [0.15, 0.06] },
  6: { red: [0.63, 0.34], green: [0.31, 0.595], blue: [0.155, 0.07] },
  7: { red: [0.63, 0.34], green: [0.31, 0.595], blue: [0.155, 0.07] },
  9: { red: [0.708, 0.292], green: [0.17, 0.797], blue: [0.131, 0.046] },
  12: { red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06] },
}
const D65: Chromaticity = [0.3127, 0.329]

const xyz = ([x, y]: Chromaticity): Row => [x / y, 1, (1 - x - y) / y]

const dot = (a: Row, b: Row): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const cross = (a: Row, b: Row): Row => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
const scaled = (row: Row, by: number): Row => [row[0] * by, row[1] * by, row[2] * by]
const transposed = ([a, b, c]: ColourMatrix): ColourMatrix => [
  [a[0], b[0], c[0]],
  [a[1], b[1], c[1]],
  [a[2], b[2], c[2]],
]

/** Inverse of a matrix, given by its columns. */
const inverseOfColumns = (r: Row, g: Row, b: Row): ColourMatrix => {
  const determinant = dot(r, cross(g, b))
  return [
    scaled(cross(g, b), 1 / determinant),
    scaled(cross(b, r), 1 / determinant),
    scaled(cross(r, g), 1 / determinant),
  ]
}

/** Columns: XYZ of one unit of each primary, scaled so that they add up to white (SMPTE RP 177). */
const columnsOf = ({ red, green, blue, white = D65 }: Primaries): ColourMatrix => {
  const [r, g, b] = [xyz(red), xyz(green), xyz(blue)]
  const [toR, toG, toB] = inverseOfColumns(r, g, b)
  const whole = xyz(white)
  return [scaled(r, dot(toR, whole)), scaled(g, dot(toG, whole)), scaled(b, dot(toB, whole))]
}

/** XYZ to cone responses (Bradford), for adapting white. */
const BRADFORD: ColourMatrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
]

/** Adapts XYZ under another white to D65. */
const adapted = (colour: Row, white: Chromaticity): Row => {
  const cones = (row: Row): Row => [dot(BRADFORD[0], row), dot(BRADFORD[1], row), dot(BRADFORD[2], row)]
  const [from, to, own] = [cones(xyz(white)), cones(xyz(D65)), cones(colour)]
  const scaledCones: Row = [(own[0] * to[0]) / from[0], (own[1] * to[1]) / from[1], (own[2] * to[2]) / from[2]]
  const back = inverseOfColumns(...transposed(BRADFORD))
  return [dot(back[0], scaledCones), dot(back[1], scaledCones), dot(back[2], scaledCones)]
}

export const BT2020 = BY_NUMBER[9]!
export const BT709 = BY_NUMBER[1]!
/** Display P3, with sRGB's white. */
export const P3 = BY_NUMBER[12]!

/** The primaries of code points. Unknown numbers give sRGB's. */
export const primariesOf = ({
  primaries,
  chromaticities,
}: Pick<CodePoints, 'primaries' | 'chromaticities'>): Primaries => {
  if (chromaticities === undefined) return BY_NUMBER[primaries] ?? BT709
  const [wx = 0, wy = 0, rx = 0, ry = 0, gx = 0, gy = 0, bx = 0, by = 0] = chromaticities
  return { white: [wx, wy], red: [rx, ry], green: [gx, gy], blue: [bx, by] }
}

/** The matrix from linear light in one set of primaries to another with D65 white. Identity when the first set is degenerate. */
export const betweenPrimaries = (from: Primaries, to: Primaries): ColourMatrix => {
  const rows = inverseOfColumns(...columnsOf(to))
  const [r, g, b] = columnsOf(from).map((column) => adapted(column, from.white ?? D65)) as unknown as ColourMatrix
  const matrix = transposed([
    [dot(rows[0], r), dot(rows[1], r), dot(rows[2], r)],
    [dot(rows[0], g), dot(rows[1], g), dot(rows[2], g)],
    [dot(rows[0], b), dot(rows[1], b), dot(rows[2], b)],
  ])
  return matrix.flat().every(Number.isFinite) ? matrix : betweenPrimaries(BT709, to)
}

/** The luminance of each primary. */
export const luminanceOf = (primaries: Primaries): Row => transposed(columnsOf(primaries))[1]
