/** CIE L*a*b* for D65: lightness 0..100, and two opponent colours. */
export interface Lab {
  readonly l: number
  readonly a: number
  readonly b: number
}

/** The CIE's curve: a cube root above, a line below. */
const bend = (t: number): number => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116)

/** Linear sRGB light 0..1 as X, Y and Z, each in terms of white's; the matrix of IEC 61966-2-1, each row divided by the white point. */
export const whiteSharesOf = (red: number, green: number, blue: number): readonly [x: number, y: number, z: number] => [
  0.4339499 * red + 0.3762098 * green + 0.1898403 * blue,
  0.2126729 * red + 0.7151522 * green + 0.072175 * blue,
  0.0177566 * red + 0.109468 * green + 0.8727754 * blue,
]

/** From linear sRGB light 0..1. */
export const labOf = (red: number, green: number, blue: number): Lab => {
  const [xShare, yShare, zShare] = whiteSharesOf(red, green, blue)
  const [x, y, z] = [bend(xShare), bend(yShare), bend(zShare)]
  return { l: 116 * y - 16, a: 500 * (x - y), b: 200 * (y - z) }
}

/**
 * The curve's tangent at `t`, above 0: its slope, and half of the curve's largest second derivative from `t / 2` on. There the curve lies below
 * the tangent by at most that times the squared distance.
 */
export const tangentAt = (t: number): { readonly slope: number; readonly bend: number } => {
  const root = Math.cbrt(t)
  const square = root * root
  return {
    slope: t > 216 / 24389 ? 1 / (3 * square) : 24389 / 27 / 116,
    bend: 2 ** (5 / 3) / (9 * square * square * root),
  }
}
