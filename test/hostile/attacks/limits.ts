import sharp, { type Sharp } from 'sharp'
import type { Attack } from '../attack.ts'
import { chunk } from '../files.ts'
import { type HostileFile, uploadAll } from '../uploads.ts'

const SIDE = 10_000
const BYTES = 49_900_000

/** A photograph-like image at the limit on pixels. */
const picture = (): Sharp =>
  sharp({
    create: {
      width: 500,
      height: 500,
      channels: 3,
      background: '#777',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  })
    .blur(3)
    .resize(SIDE, SIDE, { kernel: 'cubic' })

/** Bytes that an image lacks to the limit; a larger one would be refused unread. */
const missing = (image: Buffer): number => {
  if (image.length > BYTES) throw new Error(`An image of ${image.length} bytes is no attack at the limit.`)
  return BYTES - image.length
}

const rest = (image: Buffer): Buffer => Buffer.alloc(missing(image), 0x20)

const padJpeg = (image: Buffer): Buffer => {
  const pieces: Buffer[] = []
  for (let left = missing(image); left > 4; left -= 65_000) {
    const length = Math.min(65_000, left)
    const segment = Buffer.alloc(length, 0x20)
    segment.set([0xff, 0xfe, (length - 2) >> 8, (length - 2) & 255])
    pieces.push(segment)
  }
  return Buffer.concat([image.subarray(0, 2), ...pieces, image.subarray(2)])
}
const padPng = (image: Buffer): Buffer =>
  Buffer.concat([image.subarray(0, 33), chunk('tEXt', rest(image)), image.subarray(33)])
const padGif = (image: Buffer): Buffer => {
  const blocks = Buffer.alloc(Math.floor(missing(image) / 256) * 256, 0x20)
  for (let at = 0; at < blocks.length; at += 256) blocks[at] = 255
  return Buffer.concat([image.subarray(0, -1), Buffer.of(0x21, 0xfe), blocks, Buffer.of(0, 0x3b)])
}
const padWebp = (image: Buffer): Buffer => {
  const padding = rest(image)
  const head = Buffer.from('JUNK\0\0\0\0', 'latin1')
  head.writeUInt32LE(padding.length & ~1, 4)
  const whole = Buffer.concat([image, head, padding.subarray(0, padding.length & ~1)])
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}
const padAvif = (image: Buffer): Buffer => {
  const padding = rest(image)
  padding.writeUInt32BE(padding.length, 0)
  padding.write('free', 4, 'latin1')
  return Buffer.concat([image, padding])
}
/** Bytes that no directory points to are no part of the image. */
const padTiff = (image: Buffer): Buffer => Buffer.concat([image, rest(image)])
const padSvg = (): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}"><rect width="100%" height="100%" fill="#a51" opacity=".5"/><!--${' '.repeat(19_000_000)}--></svg>`,
  )

const OPTIONS = ['full', '400']
const FILES: readonly HostileFile[] = [
  { name: 'JPEG', make: async () => padJpeg(await picture().jpeg({ quality: 80 }).toBuffer()), options: OPTIONS },
  {
    name: 'PNG',
    make: async () => padPng(await picture().png({ palette: true, effort: 1, colours: 8 }).toBuffer()),
    options: OPTIONS,
  },
  {
    name: 'GIF',
    make: async () => padGif(await picture().gif({ effort: 1, colours: 16, dither: 0 }).toBuffer()),
    options: OPTIONS,
  },
  {
    name: 'WebP',
    make: async () => padWebp(await picture().webp({ quality: 50, effort: 0 }).toBuffer()),
    options: OPTIONS,
  },
  {
    name: 'AVIF',
    make: async () => padAvif(await picture().avif({ quality: 40, effort: 0 }).toBuffer()),
    options: OPTIONS,
  },
  {
    name: 'TIFF',
    make: async () => padTiff(await picture().tiff({ compression: 'jpeg', quality: 70 }).toBuffer()),
    options: OPTIONS,
  },
  { name: 'SVG', make: padSvg, options: ['full', 'full,format=png', '400'] },
]

/** 49.9 MB of each format with the most pixels that are accepted: what is allowed is the most that can be asked for. */
export const LIMITS: Attack = {
  name: 'limits',
  long: true,
  settings: { MAX_TIMEOUT: '20' },
  run: (arena) =>
    uploadAll(
      arena,
      (arena.short ? FILES.slice(0, 1) : FILES).map((file) => ({ ...file, name: `${file.name} at the limits` })),
    ),
}
