/** CIE L*a*b* for D65: lightness 0..100, and two opponent colours. */
export interface Lab {
  readonly l: number
  readonly a: number
  readonly b: number
}

/** The CIE's curve: a cube root above, a line below. */
const bend = (t: number): number => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116)

// Linear sRGB light 0..1 as X, Y and Z, each in terms of white's; the matrix of IEC 61966-2-1, each row divided by the white point.

export const xShareOf = (red: number, green: number, blue: number): number =>
  0.4339499 * red + 0.3762098 * green + 0.1898403 * blue

export const yShareOf = (red: number, green: number, blue: number): number =>
  0.2126729 * red + 0.7151522 * green + 0.072175 * blue

export const zShareOf = (red: number, green: number, blue: number): number =>
  0.0177566 * red + 0.109468 * green + 0.8727754 * blue

/** From linear sRGB light 0..1. */
export const labOf = (red: number, green: number, blue: number): Lab => {
  const x = bend(xShareOf(red, green, blue))
  const y = bend(yShareOf(red, green, blue))
  const z = bend(zShareOf(red, green, blue))
  return { l: 116 * y - 16, a: 500 * (x - y), b: 200 * (y - z) }
}

/** Slope of the curve at `t` above 0, whose cube root is `root`. */
export const slopeAt = (t: number, root: number): number => (t > 216 / 24389 ? 1 / (3 * root * root) : 24389 / 27 / 116)

// The curve is a line up to 216 / 24389. At twice that, half of a share is on the line's end, and the cube root is 0.2607.

/**
 * Half of the curve's largest second derivative from half of a share on, whose cube root is `root`: 2^(5/3) / 9 of its power of -5/3. There the
 * curve lies below the share's tangent by at most that times the squared distance.
 */
export const bendAt = (root: number): number => {
  const curved = Math.max(root, 0.2606)
  return 0.35275578932626656 / (curved * curved * (curved * curved) * curved)
}

/** Whether a share and `difference` lie where the curve is bent more than `bendAt` says. */
export const bendsMore = (share: number, difference: number): boolean =>
  difference < -share / 2 && share > (2 * 216) / 24389
