import { deflateSync } from 'node:zlib'
import { HEADER_SIZES } from '../core/header-sizes.ts'
import type { StillFormat } from '../core/image.ts'
import { withNclx } from './avif-colours.ts'
import { JPEG_MARKER, writeJpegProfile } from './jpeg.ts'
import { PNG_SIGNATURE, readPngChunks, writePngChunk } from './png.ts'
import { writeRiff, writeRiffChunk } from './riff.ts'
import { extendedChunks, WEBP_FLAG } from './webp.ts'

const fixed = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(Math.round(value * 65_536))
  return bytes
}

/** The content of a tag: its type, four zeros, and numbers with 16 fractional bits. */
const numbers = (type: string, ...values: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from(`${type}\0\0\0\0`, 'latin1'), ...values.map(fixed)])

/** Text in one language. */
const text = (words: string): Buffer => {
  const head = Buffer.alloc(28)
  head.write('mluc', 'latin1')
  head.writeUInt32BE(1, 8)
  head.writeUInt32BE(12, 12)
  head.write('enUS', 16, 'latin1')
  head.writeUInt32BE(words.length * 2, 20)
  head.writeUInt32BE(28, 24)
  const padded = Buffer.alloc(Math.ceil(words.length / 2) * 4)
  padded.write(words, 'utf16le')
  return Buffer.concat([head, padded.swap16()])
}

/** sRGB's curve as function 3 of ICC.1:2022, section 10.18: exponent, slope and offset, then slope and end of the linear part. */
const CURVE = Buffer.concat([
  Buffer.from('para\0\0\0\0\0\x03\0\0', 'latin1'),
  ...[2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].map(fixed),
])

/** Tags of Display P3: XYZ of its primaries under D50, the matrix from D65 (Bradford), and required tags. */
const TAGS: readonly (readonly [name: string, content: Buffer])[] = [
  ['desc', text('Display P3')],
  ['cprt', text('CC0')],
  ['wtpt', numbers('XYZ ', 0.9642, 1, 0.8249)],
  ['chad', numbers('sf32', 1.04788, 0.02292, -0.0502, 0.02959, 0.99048, -0.01706, -0.00923, 0.01508, 0.75168)],
  ['rXYZ', numbers('XYZ ', 0.51512, 0.2412, -0.00105)],
  ['gXYZ', numbers('XYZ ', 0.29198, 0.69225, 0.04189)],
  ['bXYZ', numbers('XYZ ', 0.1571, 0.06657, 0.78407)],
  ['rTRC', CURVE],
  ['gTRC', CURVE],
  ['bTRC', CURVE],
]

const profileHead = (bytes: number): Buffer => {
  const head = Buffer.alloc(HEADER_SIZES.icc)
  head.writeUInt32BE(bytes, 0)
  head.writeUInt32BE(0x04200000, 8)
  head.write('mntrRGB XYZ ', 12, 'latin1')
  // A constant date: 2024-01-01.
  for (const [i, part] of [2024, 1, 1].entries()) head.writeUInt16BE(part, 24 + i * 2)
  head.write('acsp', 36, 'latin1')
  head.set(TAGS[2]![1].subarray(8), 68)
  return head
}

/** Equal contents are stored once. */
const writeProfile = (): Buffer => {
  const contents = [...new Set(TAGS.map(([, content]) => content))]
  const table = Buffer.alloc(4 + TAGS.length * 12)
  table.writeUInt32BE(TAGS.length)
  const offsets = new Map<Buffer, number>()
  let end = HEADER_SIZES.icc + table.length
  for (const content of contents) {
    offsets.set(content, end)
    end += content.length
  }
  for (const [i, [name, content]] of TAGS.entries()) {
    const at = 4 + i * 12
    table.write(name, at, 'latin1')
    table.writeUInt32BE(offsets.get(content)!, at + 4)
    table.writeUInt32BE(content.length, at + 8)
  }
  return Buffer.concat([profileHead(end), table, ...contents])
}

/** An ICC profile (version 4) of Display P3, with 492 bytes. */
export const DISPLAY_P3_PROFILE: Uint8Array = writeProfile()

/** JFIF must stay first. */
const inJpeg = (jpeg: Buffer): Buffer => {
  const at = jpeg[3] === JPEG_MARKER.APP0 ? 4 + jpeg.readUInt16BE(4) : 2
  return Buffer.concat([jpeg.subarray(0, at), ...writeJpegProfile(DISPLAY_P3_PROFILE), jpeg.subarray(at)])
}

/** Directly after the header, before a palette. */
const inPng = (png: Buffer): Buffer => {
  const profile = Buffer.concat([Buffer.from('P3\0\0', 'latin1'), deflateSync(DISPLAY_P3_PROFILE, { level: 9 })])
  const [header, ...rest] = [...readPngChunks(png)].map(({ whole }) => whole)
  return Buffer.concat([PNG_SIGNATURE, header!, writePngChunk('iCCP', profile), ...rest])
}

const inWebp = (webp: Buffer): Buffer => {
  const [header, ...rest] = extendedChunks(webp, WEBP_FLAG.PROFILE)
  return writeRiff('WEBP', [header!, writeRiffChunk('ICCP', DISPLAY_P3_PROFILE), ...rest])
}

/** P3 with sRGB's curve (ITU-T H.273), coded like libheif codes all colours: with BT.601's matrix. */
const inAvif = (avif: Buffer): Buffer => withNclx(avif, { primaries: 12, transfer: 13, matrix: 6 })

const WRITERS: Partial<Record<StillFormat, (file: Buffer) => Buffer>> = {
  jpeg: inJpeg,
  png: inPng,
  webp: inWebp,
  avif: inAvif,
}

/** Labels a file whose samples are Display P3. The file must have no colour information. Throws for formats without such a label. */
export const asDisplayP3 = (format: StillFormat, file: Uint8Array): Buffer => {
  const write = WRITERS[format]
  if (write === undefined) throw new Error(`No Display P3 in ${format}`)
  return write(Buffer.from(file.buffer, file.byteOffset, file.length))
}
