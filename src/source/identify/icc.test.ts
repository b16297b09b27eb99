import { describe, expect, it } from 'vitest'
import { classifyProfile } from './icc.ts'

type Xyz = readonly [number, number, number]

const fixed = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(Math.round(value * 65_536))
  return bytes
}
const xyz = (value: Xyz): Buffer => Buffer.concat([Buffer.from('XYZ \0\0\0\0'), ...value.map(fixed)])
const parametric = (kind: number, ...values: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from('para\0\0\0\0'), Buffer.of(0, kind, 0, 0), ...values.map(fixed)])
const curve = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(12 + values.length * 2)
  bytes.write('curv')
  bytes.writeUInt32BE(values.length, 8)
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value, 12 + i * 2)
  return bytes
}

/** An ICC profile of these tags. */
const profile = (space: string, tags: Readonly<Record<string, Buffer>>): Buffer => {
  const header = Buffer.alloc(128)
  header.write(space, 16)
  header.write('acsp', 36)
  const entries = Object.entries(tags)
  const table = Buffer.alloc(4 + entries.length * 12)
  table.writeUInt32BE(entries.length)
  let at = 128 + table.length
  entries.forEach(([name, data], i) => {
    table.write(name, 4 + i * 12)
    table.writeUInt32BE(at, 8 + i * 12)
    table.writeUInt32BE(data.length, 12 + i * 12)
    at += data.length
  })
  header.writeUInt32BE(at)
  return Buffer.concat([header, table, ...entries.map(([, data]) => data)])
}

const RED: Xyz = [0.43607, 0.22249, 0.01392]
const GREEN: Xyz = [0.38515, 0.71687, 0.09708]
const BLUE: Xyz = [0.14307, 0.06061, 0.7141]
const SRGB_CURVE = parametric(3, 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
const srgbTable = (size: number): Buffer =>
  curve(
    ...Array.from({ length: size }, (_, i) => {
      const x = i / (size - 1)
      return Math.round((x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4) * 65_535)
    }),
  )
const rgb = (red: Xyz, green: Xyz, blue: Xyz, trc: Buffer): Buffer =>
  profile('RGB ', { rXYZ: xyz(red), gXYZ: xyz(green), bXYZ: xyz(blue), rTRC: trc, gTRC: trc, bTRC: trc })

describe('an embedded profile', () => {
  it.each<[string, Buffer, number, string]>([
    ['sRGB by formula', rgb(RED, GREEN, BLUE, SRGB_CURVE), 3, 'srgb'],
    ['sRGB by table', rgb(RED, GREEN, BLUE, srgbTable(1024)), 3, 'srgb'],
    ['sRGB by a table of 26', rgb(RED, GREEN, BLUE, srgbTable(26)), 3, 'srgb'],
    ['sRGB primaries, gamma 2.2', rgb(RED, GREEN, BLUE, curve(0x0233)), 3, 'other'],
    ['sRGB primaries, linear', rgb(RED, GREEN, BLUE, curve()), 3, 'other'],
    ['swapped channels', rgb(GREEN, RED, BLUE, SRGB_CURVE), 3, 'other'],
    [
      'Display P3',
      rgb([0.51512, 0.2412, -0.00105], [0.29198, 0.69225, 0.04189], [0.1571, 0.06657, 0.78407], SRGB_CURVE),
      3,
      'other',
    ],
    [
      'Adobe RGB',
      rgb([0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457], curve(0x0233)),
      3,
      'other',
    ],
    ['sRGB with tables', profile('RGB ', { A2B0: Buffer.alloc(32), rXYZ: xyz(RED) }), 3, 'other'],
    ['grey like sRGB', profile('GRAY', { kTRC: SRGB_CURVE }), 1, 'srgb'],
    ['grey, gamma 1.8', profile('GRAY', { kTRC: curve(0x01cd) }), 1, 'other'],
    ['CMYK', profile('CMYK', {}), 4, 'other'],
    ['RGB in a grey image', rgb(RED, GREEN, BLUE, SRGB_CURVE), 1, 'none'],
    ['CMYK in an RGB image', profile('CMYK', {}), 3, 'none'],
    ['no profile', Buffer.from('not a profile'), 3, 'none'],
    ['a header alone', Buffer.alloc(128), 3, 'none'],
    ['without tags', profile('RGB ', {}), 3, 'other'],
  ])('classifies a profile: %s', (_what, bytes, channels, expected) => {
    expect(classifyProfile(bytes, channels)).toBe(expected)
  })

  it('a profile truncated at any byte counts as none, as in browsers', () => {
    const whole = rgb(RED, GREEN, BLUE, srgbTable(26))
    for (let length = 0; length < whole.length; length++)
      expect(classifyProfile(whole.subarray(0, length), 3)).toBe('none')
  })

  it('a profile is not truncated if a reader returns only its first megabyte', () => {
    const start = Buffer.concat([profile('CMYK', {}), Buffer.alloc(1e6)]).subarray(0, 1e6)
    start.writeUInt32BE(2e6)
    expect(classifyProfile(start, 4)).toBe('other')
  })

  it('a profile with a tag outside of it is classified without an error', () => {
    const whole = rgb(RED, GREEN, BLUE, srgbTable(26))
    for (let length = 132; length < whole.length; length++) {
      const cut = Buffer.from(whole.subarray(0, length))
      cut.writeUInt32BE(length)
      expect(classifyProfile(cut, 3)).not.toBe('none')
    }
  })
})
