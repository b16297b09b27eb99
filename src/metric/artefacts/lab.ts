/** CIE L*a*b* for D65: lightness 0..100, and two opponent colours. */
export interface Lab {
  readonly l: number
  readonly a: number
  readonly b: number
}

/** The CIE's curve: a cube root above, a line below. */
const bend = (t: number): number => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116)

/** From linear sRGB light 0..1; the matrix of IEC 61966-2-1, each row divided by the white point. */
export const labOf = (red: number, green: number, blue: number): Lab => {
  const x = bend(0.4339499 * red + 0.3762098 * green + 0.1898403 * blue)
  const y = bend(0.2126729 * red + 0.7151522 * green + 0.072175 * blue)
  const z = bend(0.0177566 * red + 0.109468 * green + 0.8727754 * blue)
  return { l: 116 * y - 16, a: 500 * (x - y), b: 200 * (y - z) }
}
