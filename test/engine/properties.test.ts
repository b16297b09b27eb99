/** Properties of every image, for any encoder: relations between results, not their sizes. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { type Answer, answer } from './run.ts'
import { pixelArt } from './samples.ts'

const publicImage = (name: string): Buffer => readFileSync(new URL(`../../bench/public/${name}`, import.meta.url))

const drawn = (width: number, height: number, at: (x: number, y: number) => readonly [number, number, number]): Sharp =>
  sharp(
    Uint8Array.from({ length: width * height * 3 }, (_, i) => {
      const pixel = Math.floor(i / 3)
      return at(pixel % width, Math.floor(pixel / width))[i % 3]!
    }),
    { raw: { width, height, channels: 3 } },
  )

/** Two colours in turns, as a dither of a page or a chart's hatching. */
const stripes = () =>
  drawn(240, 160, (x, y) => ((x + 2 * y) % 5 < 2 ? [20, 60, 140] : [250, 250, 245]))
    .png()
    .toBuffer()

/** A photograph as an old display shows it: every second row is black. */
const scanLines = async (): Promise<Buffer> => {
  const { data, info } = await sharp(publicImage('kodim19-320x240.jpg')).raw().toBuffer({ resolveWithObject: true })
  const stride = info.width * 3
  for (let y = 1; y < info.height; y += 2) data.fill(0, y * stride, (y + 1) * stride)
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } })
    .png()
    .toBuffer()
}

/** A photograph in black and white, dithered by a matrix of 4 x 4 as old printers and displays do. */
const dither = async (): Promise<Buffer> => {
  const matrix = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
  const grey = await sharp(publicImage('kodim19-320x240.jpg')).greyscale().raw().toBuffer()
  const isWhite = (x: number, y: number): boolean => grey[y * 320 + x]! / 16 > matrix[(y % 4) * 4 + (x % 4)]! + 0.5
  return drawn(320, 240, (x, y) => (isWhite(x, y) ? [255, 255, 255] : [0, 0, 0]))
    .png()
    .toBuffer()
}

/** Lines of strokes with soft rims on paper, as small print: bars of 7 px, upright or lying, by a fixed sequence. */
const text = (): Promise<Buffer> => {
  const inkAt = (x: number, y: number): number => {
    const [column, line] = [Math.floor(x / 8), Math.floor(y / 14)]
    const [dx, dy] = [x % 8, y % 14]
    if (dy > 9 || dx > 6 || (column * 7 + line * 3) % 6 === 0) return 0
    const kind = (column * 13 + line * 29) % 4
    const distances = [Math.abs(dx - 1), Math.abs(dy - 2), kind % 2 === 0 ? Math.abs(dx - 5) : Math.abs(dy - 8)]
    return Math.max(0, Math.min(1, 1.4 - Math.min(...distances)))
  }
  return drawn(320, 220, (x, y) => {
    const ink = inkAt(x, y)
    return [250 - 220 * ink, 249 - 215 * ink, 244 - 190 * ink]
  })
    .png()
    .toBuffer()
}

const IMAGES: Readonly<Record<string, () => Promise<Buffer>>> = {
  'a photograph': async () => publicImage('kodim15-320x240.png'),
  'a photograph as JPEG': async () => publicImage('kodim03-320x240.jpg'),
  'an icon': async () => publicImage('tango-icon-library-pngs__status-dialog-warning.png'),
  stripes,
  'scan lines': scanLines,
  'pixel art': pixelArt,
  'a dither': dither,
  text,
}

const answers = new Map<string, Promise<Answer>>()

/** The answer to a request, searched once for all tests of this file. */
const answerOnce = (source: Buffer, options: string): Promise<Answer> => {
  const key = `${options} ${createHash('sha256').update(source).digest('hex')}`
  const known = answers.get(key) ?? answer(source, { options })
  answers.set(key, known)
  return known
}

const bytesOf = async (source: Buffer, options: string): Promise<number> =>
  (await answerOnce(source, options)).bytes.length

const rankOf = ({ bytes, meetsTarget, untouched }: Answer['result']) => ({
  bytes,
  keeps: meetsTarget === true || untouched === true,
})

describe.each(Object.entries(IMAGES))('%s', (_, make) => {
  it('takes without a format no more than 1.01 times the bytes of each forced format that browsers always show', async () => {
    const source = await make()
    const chosen = await bytesOf(source, 'full')
    const { hasAlpha } = await sharp(source).metadata()
    for (const format of hasAlpha ? ['png'] : ['png', 'jpeg'])
      expect(chosen).toBeLessThanOrEqual((await bytesOf(source, `full,format=${format}`)) * 1.01)
  })

  it('takes no more than 1.01 times the bytes of forced WebP where the client shows WebP', async () => {
    const source = await make()
    const chosen = (await answer(source, { options: 'full', webp: true })).bytes.length
    expect(chosen).toBeLessThanOrEqual((await bytesOf(source, 'full,format=webp')) * 1.01)
  })

  it('keeps every pixel without loss as PNG and as WebP', async () => {
    const source = await make()
    const pixelsOf = (image: Buffer | Uint8Array): Promise<Buffer> => sharp(image).ensureAlpha().raw().toBuffer()
    for (const format of ['png', 'webp']) {
      const { bytes, result } = await answer(source, { options: `full,quality=lossless,format=${format}` })
      expect(result.format).toBe(format)
      expect(Buffer.compare(await pixelsOf(bytes), await pixelsOf(source))).toBe(0)
    }
  })

  it('takes no fewer bytes at a higher preset, and without loss within the byte that the order of a palette can save', async () => {
    const source = await make()
    const sizes = []
    // The preset of `full` is medium.
    for (const options of ['full,quality=low', 'full', 'full,quality=high', 'full,quality=lossless'])
      sizes.push(await bytesOf(source, options))
    sizes.push(sizes.pop()! + 1)
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })

  it('offers no later result that is larger than an earlier one that kept its bounds, in any format', async () => {
    const source = await make()
    for (const format of ['jpeg', 'png', 'webp', 'gif']) {
      const { offers } = await answerOnce(source, `full,format=${format}`)
      expect(offers.length).toBeGreaterThan(0)
      const [first, ...others] = offers.map(rankOf)
      others.reduce((earlier, later) => {
        expect(later.keeps || !earlier.keeps).toBe(true)
        if (earlier.keeps) expect(later.bytes).toBeLessThanOrEqual(earlier.bytes)
        return later
      }, first!)
    }
  })

  it('takes as many bytes within 5 % when it is mirrored', async () => {
    const source = await sharp(await make())
      .png()
      .toBuffer()
    const mirrored = await sharp(source).flop().png().toBuffer()
    const [one, other] = [await bytesOf(source, 'full'), await bytesOf(mirrored, 'full')]
    expect(Math.max(one, other) / Math.min(one, other)).toBeLessThan(1.05)
  })
})

/** An uncompressed BMP of 24 bits. */
const asBmp = async (image: Buffer): Promise<Buffer> => {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const stride = Math.ceil((info.width * 3) / 4) * 4
  const file = Buffer.alloc(54 + stride * info.height)
  file.write('BM')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(54, 10)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(info.width, 18)
  file.writeInt32LE(info.height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  for (let y = 0; y < info.height; y++)
    for (let x = 0; x < info.width; x++)
      for (let c = 0; c < 3; c++)
        file[54 + (info.height - 1 - y) * stride + x * 3 + c] = data[(y * info.width + x) * 3 + 2 - c]!
  return file
}

it.each([
  ['a photograph', async () => publicImage('kodim20-320x240.png')],
  ['stripes', stripes],
] as const)('gives the same bytes for the same pixels from PNG, lossless WebP and BMP: %s', async (_, make) => {
  const png = await sharp(await make())
    .removeAlpha()
    .png()
    .toBuffer()
  const sources = [png, await sharp(png).webp({ lossless: true }).toBuffer(), await asBmp(png)]
  const results = []
  for (const source of sources) results.push((await answer(source, { options: 'full,format=jpeg' })).bytes)
  expect(results[1]).toEqual(results[0])
  expect(results[2]).toEqual(results[0])
})

it.each([
  [1, 1],
  [1, 300],
  [300, 1],
  [7, 8],
  [31, 33],
  [257, 65],
  // Searched on a sample.
  [9000, 500],
] as const)('answers for %d x %d px in every format', async (width, height) => {
  const source = await drawn(width, height, (x, y) => [(x * 7) & 255, (y * 5) & 255, ((x + y) * 3) & 255])
    .png()
    .toBuffer()
  for (const format of ['jpeg', 'png', 'webp', 'avif', 'gif']) {
    const { bytes } = await answer(source, { options: `full,format=${format}`, seconds: 2 })
    const shown = await sharp(bytes).metadata()
    expect([shown.width, shown.height]).toEqual([width, height])
  }
})

it.each(['jpeg', 'png', 'webp'])('answers for 10000 x 7500 px as %s', async (format) => {
  const small = drawn(100, 75, (x, y) => [(x * 2) & 255, (y * 3) & 255, (x + y) & 255])
  const source = await small.resize(10000, 7500, { kernel: 'nearest' }).png({ compressionLevel: 1 }).toBuffer()
  const { bytes } = await answer(source, { options: `full,format=${format}`, seconds: 2 })
  const shown = await sharp(bytes, { limitInputPixels: false }).metadata()
  expect([shown.width, shown.height]).toEqual([10000, 7500])
})
