import type { SourceFacts } from '../../core/image.ts'

type Profile = SourceFacts['profile']

/** Colour space of a profile by the number of channels. */
const SPACES: Readonly<Record<number, string>> = { 1: 'GRAY', 3: 'RGB ', 4: 'CMYK' }

/** The primaries of sRGB in ICC profiles: XYZ, adapted to D50. */
const SRGB_PRIMARIES: readonly (readonly [string, readonly [number, number, number]])[] = [
  ['rXYZ', [0.4361, 0.2225, 0.0139]],
  ['gXYZ', [0.3851, 0.7169, 0.0971]],
  ['bXYZ', [0.1431, 0.0606, 0.7141]],
]
const TOLERANCE = {
  /** In XYZ. Profiles round differently; the nearest other common colour space is ten times as far away. */
  primary: 0.002,
  /** In linear light. Gamma 2.2 differs by at most 0.008, a table of 26 points by less than 0.001. */
  curve: 0.0025,
} as const

const fixed = (bytes: Buffer, at: number): number => bytes.readInt32BE(at) / 65_536

const tagOf = (profile: Buffer, name: string): Buffer | undefined => {
  const count = Math.min(profile.readUInt32BE(128), 200)
  for (let entry = 132; entry < 132 + count * 12 && entry + 12 <= profile.length; entry += 12) {
    if (profile.toString('latin1', entry, entry + 4) !== name) continue
    const at = profile.readUInt32BE(entry + 4)
    return profile.subarray(at, at + profile.readUInt32BE(entry + 8))
  }
  return undefined
}

const srgbToLinear = (x: number): number => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)

const sampled = (tag: Buffer, count: number, x: number): number => {
  const position = x * (count - 1)
  const low = Math.min(Math.floor(position), count - 2)
  const [a, b] = [tag.readUInt16BE(12 + low * 2), tag.readUInt16BE(14 + low * 2)]
  return (a + (b - a) * (position - low)) / 65_535
}

/** Parametric curve: ICC.1:2022, section 10.18, functions 0 to 4. */
const parametric = (tag: Buffer, x: number): number => {
  const kind = tag.readUInt16BE(8)
  const p = Array.from({ length: [1, 3, 4, 5, 7][kind] ?? 0 }, (_, i) => fixed(tag, 12 + i * 4))
  const [g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = p
  if (kind === 0) return x ** g
  if (kind <= 2) return x >= -b / a ? (a * x + b) ** g + (kind === 2 ? c : 0) : kind === 2 ? c : 0
  return x >= d ? (a * x + b) ** g + e : c * x + f
}

const curveAt = (tag: Buffer, x: number): number => {
  const type = tag.toString('latin1', 0, 4)
  if (type === 'para') return parametric(tag, x)
  if (type !== 'curv') return Number.NaN
  const count = tag.readUInt32BE(8)
  if (count === 0) return x
  return count === 1 ? x ** (tag.readUInt16BE(12) / 256) : sampled(tag, count, x)
}

const isSrgbCurve = (tag: Buffer | undefined): boolean => {
  if (tag === undefined) return false
  const points = Array.from({ length: 41 }, (_, i) => i / 40)
  return points.every((x) => Math.abs(curveAt(tag, x) - srgbToLinear(x)) <= TOLERANCE.curve)
}

const isSrgbPrimary = (tag: Buffer | undefined, xyz: readonly number[]): boolean =>
  tag !== undefined && xyz.every((value, i) => Math.abs(fixed(tag, 8 + i * 4) - value) <= TOLERANCE.primary)

/** Compares what the profile does, since some profiles named sRGB swap channels. Lookup tables outrank curves. */
const isSrgb = (profile: Buffer, channels: number): boolean => {
  if (tagOf(profile, 'A2B0') !== undefined) return false
  if (channels === 1) return isSrgbCurve(tagOf(profile, 'kTRC'))
  return (
    SRGB_PRIMARIES.every(([name, xyz]) => isSrgbPrimary(tagOf(profile, name), xyz)) &&
    ['rTRC', 'gTRC', 'bTRC'].every((name) => isSrgbCurve(tagOf(profile, name)))
  )
}

/** Bytes of a profile that every reader returns, if the file has them. Profiles of inks are larger. */
const BYTES_READ = 1e6

/** Whether a profile has its signature and the bytes that its header names (ICC.1:2022, section 7.2). Browsers ignore a truncated one. */
const isWhole = (profile: Buffer): boolean =>
  profile.length >= 132 &&
  profile.toString('latin1', 36, 40) === 'acsp' &&
  profile.length >= Math.min(profile.readUInt32BE(0), BYTES_READ)

/**
 * Classifies an embedded ICC profile. `none`: it is broken or has another number of channels than the image, so browsers ignore it.
 * `srgb`: it needs no conversion. `other`: it must be applied. `channels`: 1, 3 or 4, without alpha.
 */
export const classifyProfile = (profile: Buffer, channels: number): Profile => {
  if (!isWhole(profile) || profile.toString('latin1', 16, 20) !== SPACES[channels]) return 'none'
  try {
    return channels !== 4 && isSrgb(profile, channels) ? 'srgb' : 'other'
  } catch {
    // A tag points outside of the profile. A decoder may still apply the rest.
    return 'other'
  }
}
