import { describe, expect, it } from 'vitest'
import { bareGif } from './gif.ts'
import { bareJpeg } from './jpeg.ts'
import type { Kept } from './kept.ts'
import { barePng } from './png.ts'
import { stripMetadata } from './strip.ts'
import { bareWebp } from './webp.ts'

const stripGif = (gif: Uint8Array): Buffer => Buffer.concat([...bareGif(gif)])
const stripJpeg = (jpeg: Uint8Array, kept: Kept): Buffer => Buffer.concat([...bareJpeg(jpeg, kept)])
const stripPng = (png: Uint8Array, kept: Kept): Buffer => Buffer.concat([...barePng(png, kept)])
const stripWebp = (webp: Uint8Array, kept: Kept): Buffer => Buffer.concat([...bareWebp(webp, kept)])
const BARE: Kept = { orientation: 1, profile: false }

const bytes = (...parts: (string | readonly number[] | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))

describe('stripGif', () => {
  const head = bytes('GIF89a', [1, 0, 1, 0, 0x80, 0, 0], [0, 0, 0, 255, 255, 255])
  const loop = bytes([0x21, 0xff, 11], 'NETSCAPE2.0', [3, 1, 0, 0, 0])
  const comment = bytes([0x21, 0xfe, 6], 'secret', [0])
  const xmp = bytes([0x21, 0xff, 11], 'XMP DataXMP', [4], 'GPS!', [0])
  const frame = bytes([0x21, 0xf9, 4, 0, 10, 0, 0, 0], [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0], [2, 2, 0x44, 1, 0])

  it('keeps the loop count and the frames, and drops comments and foreign blocks', () => {
    const stripped = stripGif(bytes(head, loop, comment, frame, xmp, frame, [0x3b], 'trailing'))
    expect(stripped.equals(bytes(head, loop, frame, frame, [0x3b]))).toBe(true)
  })
  it('ends on a file that is cut anywhere', () => {
    const whole = bytes(head, loop, comment, frame, [0x3b])
    for (let length = 0; length < whole.length; length += 1) stripGif(whole.subarray(0, length))
  })
})

describe('stripJpeg', () => {
  const jfif = bytes([0xff, 0xe0, 0, 7], 'JFIF', [0])
  const exif = bytes([0xff, 0xe1, 0, 10], 'Exif', [0, 0, 1, 2])
  const icc = bytes([0xff, 0xe2, 0, 16], 'ICC_PROFILE', [0, 1, 1])
  const rest = bytes([0xff, 0xda, 0, 2], 'scan', [0xff, 0xd9])
  it('drops Exif, keeps segments that define colours, and the profile only on request', () => {
    const jpeg = bytes([0xff, 0xd8], jfif, exif, icc, rest)
    expect(
      Buffer.from(stripJpeg(jpeg, { orientation: 1, profile: false })).equals(bytes([0xff, 0xd8], jfif, rest)),
    ).toBe(true)
    expect(Buffer.from(stripJpeg(jpeg, { orientation: 1, profile: true })).includes('ICC_PROFILE')).toBe(true)
  })
  it('keeps the orientation alone of the Exif data', () => {
    const kept = Buffer.from(stripJpeg(bytes([0xff, 0xd8], exif, rest), { orientation: 6, profile: false }))
    expect(kept.includes('Exif')).toBe(true)
    expect(kept[2 + 10 + 19]).toBe(6)
  })
})

describe('a JPEG keeps nothing that is not needed', () => {
  const soi = [0xff, 0xd8]
  const table = bytes([0xff, 0xdb, 0, 4], 'qt')
  const exif = bytes([0xff, 0xe1, 0, 10], 'Exif', [0, 0, 1, 2])
  const comment = bytes([0xff, 0xfe, 0, 5], 'GPS')
  const scan = bytes([0xff, 0xda, 0, 2], 'scan', [0xff, 0, 0xff, 0xd0], 'more')
  const eoi = [0xff, 0xd9]
  const jfif = (thumbnail: readonly number[], size: number) =>
    bytes([0xff, 0xe0, 0, 16 + thumbnail.length], 'JFIF', [0, 1, 2, 0, 0, 1, 0, 1, size, size], thumbnail)

  it.each<[string, Buffer, Buffer]>([
    ['between scans', bytes(soi, table, scan, comment, exif, scan, eoi), bytes(soi, table, scan, scan, eoi)],
    ['behind the image', bytes(soi, table, scan, eoi, soi, exif, eoi, 'ftypmp4'), bytes(soi, table, scan, eoi)],
    ['behind stray bytes', bytes(soi, 'stray', exif, table, scan, eoi), bytes(soi, table, scan, eoi)],
    ['behind fill bytes', bytes(soi, [0xff, 0xff], exif, table, scan, eoi), bytes(soi, table, scan, eoi)],
    ['behind a marker without length', bytes(soi, [0xff, 1], exif, table, scan, eoi), bytes(soi, table, scan, eoi)],
    ['in a thumbnail', bytes(soi, jfif([1, 2, 3], 1), table, scan, eoi), bytes(soi, jfif([], 0), table, scan, eoi)],
    ['in APP14 of others', bytes(soi, [0xff, 0xee, 0, 5], 'GPS', table, scan, eoi), bytes(soi, table, scan, eoi)],
    ['when it is cut off', bytes(soi, table, comment, scan), bytes(soi, table, scan)],
  ])('a JPEG loses metadata %s', (_where, jpeg, bare) => {
    expect(stripJpeg(jpeg, BARE).toString('latin1')).toBe(bare.toString('latin1'))
  })

  it('a long scan is copied completely', () => {
    const long = bytes(
      soi,
      table,
      [0xff, 0xda, 0, 2],
      Buffer.alloc(65_536, 7),
      [0xff, 0],
      Buffer.alloc(200_000, 9),
      eoi,
    )
    expect(stripJpeg(bytes(long, exif), BARE).equals(long)).toBe(true)
  })
  it('ends on a file that is cut anywhere', () => {
    const whole = bytes(soi, jfif([1, 2, 3], 1), exif, table, scan, comment, scan, eoi)
    for (let length = 0; length < whole.length; length += 1) stripJpeg(whole.subarray(0, length), BARE)
  })
})

describe('a WebP', () => {
  const chunk = (type: string, data: readonly number[]): Buffer =>
    bytes(type, [data.length, 0, 0, 0], data, data.length % 2 === 1 ? [0] : [])
  const riff = (...chunks: Buffer[]): Buffer => {
    const body = bytes('WEBP', ...chunks)
    return bytes('RIFF', [body.length, 0, 0, 0], body)
  }
  const header = (flags: number): Buffer => chunk('VP8X', [flags, 0, 0, 0, 1, 0, 0, 1, 0, 0])
  const pixels = chunk('VP8 ', [1, 2, 3])
  const file = riff(
    header(0x3c),
    chunk('ICCP', [5]),
    pixels,
    chunk('EXIF', [6]),
    chunk('XMP ', [7]),
    chunk('blah', [8]),
  )

  it('a WebP loses Exif, XMP and unknown chunks, and their flags', () => {
    expect(stripWebp(bytes(file, 'behind'), BARE).equals(riff(header(0x10), pixels))).toBe(true)
  })
  it('a WebP keeps its profile on request, and the orientation', () => {
    const kept = stripWebp(file, { orientation: 6, profile: true })
    expect(
      kept
        .subarray(0, -8 - 26)
        .toString('latin1')
        .replace(/^.{8}/s, ''),
    ).toBe(
      riff(header(0x38), chunk('ICCP', [5]), pixels)
        .toString('latin1')
        .replace(/^.{8}/s, ''),
    )
    expect(kept.readUInt32LE(4)).toBe(kept.length - 8)
    expect(kept.at(-34 + 8 + 19)).toBe(6)
  })
  it('ends on a file that is cut anywhere', () => {
    for (let length = 12; length < file.length; length += 1) stripWebp(file.subarray(0, length), BARE)
  })
})

it.each(['svg', 'avif', 'tiff'] as const)('%s cannot be returned with its own bytes', (format) => {
  expect(stripMetadata({ format, orientation: 1, profile: 'none' }, new Uint8Array(100))).toBeUndefined()
})

it.each([
  [
    'jpeg',
    bytes(
      [0xff, 0xd8],
      new Uint8Array(1_300_000).map((_, i) => [0xff, 0xdb, 0, 2][i & 3]!),
      [0xff, 0xd9],
    ),
  ],
  ['png', bytes('12345678', new Uint8Array(3_700_000))],
  ['webp', bytes('RIFF', [255, 255, 255, 0], 'WEBP', new Uint8Array(2_500_000))],
] as const)('fails for a %s of hundreds of thousands of pieces, whose views would take gigabytes', (format, file) => {
  const pieces = stripMetadata({ format, orientation: 1, profile: 'none' }, file)
  expect(() => [...pieces!]).toThrow('damaged')
})

describe('stripPng', () => {
  const chunk = (type: string, data = ''): Buffer => bytes([0, 0, 0, data.length], type, data, [1, 2, 3, 4])
  const signature = bytes([0x89], 'PNG\r\n', [0x1a, 0x0a])
  it('keeps what pixels need and drops the rest', () => {
    const png = bytes(
      signature,
      chunk('IHDR'),
      chunk('tEXt', 'secret'),
      chunk('iCCP', 'p'),
      chunk('IDAT', 'x'),
      chunk('IEND'),
      'more',
    )
    const bare = bytes(signature, chunk('IHDR'), chunk('IDAT', 'x'), chunk('IEND'))
    expect(Buffer.from(stripPng(png, { orientation: 1, profile: false })).equals(bare)).toBe(true)
    expect(Buffer.from(stripPng(png, { orientation: 1, profile: true })).includes('iCCP')).toBe(true)
  })
})
