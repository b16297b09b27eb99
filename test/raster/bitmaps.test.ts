import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { decode } from '../../src/raster/decode.ts'
import { identify } from '../../src/source/identify.ts'
import { type BitmapFields, bmp, dib, ico, le16, le32, psd } from './bitmap-file.ts'

let directory = ''
let count = 0
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bitmaps-'))
})
afterAll(() => rm(directory, { recursive: true }))

const read = async (bytes: Uint8Array) => {
  const path = join(directory, String(count++))
  await writeFile(path, bytes)
  const facts = await identify(path)
  return { facts, ...(await decode({ path, facts, limits: { maxPixels: 1e6 } })) }
}

/** Pixels as words, such as `ff0000`, or `ff0000.80` with transparency. One string per row. */
const inWords = ({ width, height, channels, data }: Raster): readonly string[] =>
  Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const pixel = Buffer.from(data.subarray((y * width + x) * channels, (y * width + x + 1) * channels))
      const alpha = pixel[3] ?? 255
      return alpha === 0 ? '-' : pixel.toString('hex', 0, 3) + (alpha === 255 ? '' : `.${pixel.toString('hex', 3)}`)
    }).join(' '),
  )

const bytes = (...values: readonly number[]): Buffer => Buffer.of(...values)
const RGBW = bytes(0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0)
const two = (more: Partial<BitmapFields>): Buffer => dib({ width: 2, height: 2, bits: 24, ...more })

describe('BMP', () => {
  it.each<[string, Buffer, Buffer, readonly string[]]>([
    [
      '24 bits, from the bottom up',
      two({}),
      bytes(255, 0, 0, 255, 255, 255, 0, 0, 0, 0, 255, 0, 255, 0, 0, 0),
      ['ff0000 00ff00', '0000ff ffffff'],
    ],
    [
      '24 bits, from the top down',
      two({ height: -2 }),
      bytes(0, 0, 255, 0, 255, 0, 0, 0, 255, 0, 0, 255, 255, 255, 0, 0),
      ['ff0000 00ff00', '0000ff ffffff'],
    ],
    [
      '1 bit',
      two({ bits: 1, palette: RGBW.subarray(0, 8) }),
      bytes(0x40, 0, 0, 0, 0x80, 0, 0, 0),
      ['00ff00 ff0000', 'ff0000 00ff00'],
    ],
    [
      '2 bits',
      two({ bits: 2, palette: RGBW }),
      bytes(0xb0, 0, 0, 0, 0x10, 0, 0, 0),
      ['ff0000 00ff00', '0000ff ffffff'],
    ],
    [
      '4 bits',
      two({ bits: 4, palette: RGBW }),
      bytes(0x23, 0, 0, 0, 0x01, 0, 0, 0),
      ['ff0000 00ff00', '0000ff ffffff'],
    ],
    ['8 bits', two({ bits: 8, palette: RGBW }), bytes(2, 3, 0, 0, 0, 1, 0, 0), ['ff0000 00ff00', '0000ff ffffff']],
    [
      'a colour that the palette lacks',
      two({ bits: 8, palette: RGBW }),
      bytes(9, 3, 0, 0, 0, 1, 0, 0),
      ['ff0000 00ff00', '000000 ffffff'],
    ],
    [
      '16 bits, five each',
      two({ bits: 16 }),
      Buffer.concat([le16(0x1f), le16(0x7fff), le16(0x7c00), le16(0x3e0)]),
      ['ff0000 00ff00', '0000ff ffffff'],
    ],
    [
      '16 bits, six of green by masks',
      two({ bits: 16, compression: 3, masks: [0xf800, 0x7e0, 0x1f] }),
      Buffer.concat([le16(0x1f), le16(0xffff), le16(0xf800), le16(0x7e0)]),
      ['ff0000 00ff00', '0000ff ffffff'],
    ],
    [
      '32 bits whose fourth byte is nothing',
      two({ bits: 32 }),
      bytes(255, 0, 0, 1, 255, 255, 255, 2, 0, 0, 255, 3, 0, 255, 0, 4),
      ['ff0000 00ff00', '0000ff ffffff'],
    ],
    [
      '32 bits with transparency by masks of version 5',
      two({
        bits: 32,
        compression: 3,
        headerBytes: 124,
        masks: [0xff, 0xff00, 0xff0000, 0xff000000].map((mask) => mask | 0),
      }),
      bytes(0, 0, 255, 255, 255, 255, 255, 128, 255, 0, 0, 255, 0, 255, 0, 0),
      ['ff0000 -', '0000ff ffffff.80'],
    ],
    [
      '32 bits with a transparency that is zero throughout',
      two({
        bits: 32,
        compression: 3,
        headerBytes: 124,
        masks: [0xff, 0xff00, 0xff0000, 0xff000000].map((mask) => mask | 0),
      }),
      bytes(0, 0, 255, 0, 255, 255, 255, 0, 255, 0, 0, 0, 0, 255, 0, 0),
      ['ff0000 00ff00', '0000ff ffffff'],
    ],
    [
      'run lengths, a jump and a literal',
      dib({ width: 4, height: 3, bits: 8, compression: 1, palette: RGBW }),
      // 4 x red; end of line; jump 1 right and 1 up; literal of 3; end.
      bytes(4, 0, 0, 0, 0, 2, 1, 1, 0, 3, 1, 2, 3, 0, 0, 1),
      ['- 00ff00 0000ff ffffff', '- - - -', 'ff0000 ff0000 ff0000 ff0000'],
    ],
    [
      'run lengths of 4 bits',
      dib({ width: 4, height: 2, bits: 4, compression: 2, palette: RGBW }),
      bytes(4, 0x01, 0, 0, 3, 0x23, 0, 1),
      ['0000ff ffffff 0000ff -', 'ff0000 00ff00 ff0000 00ff00'],
    ],
    [
      'a run beyond its row',
      dib({ width: 2, height: 1, bits: 8, compression: 1, palette: RGBW }),
      bytes(200, 1, 0, 1),
      ['00ff00 00ff00'],
    ],
  ])('decodes a BMP: %s', async (_, header, pixels, expected) => {
    const { facts, pixels: found, warnings } = await read(bmp(header, pixels))
    expect(facts.format).toBe('bmp')
    expect(inWords(found)).toEqual(expected)
    expect(warnings).toEqual([])
  })

  it('an OS/2 bitmap has a header of 12 bytes and palette entries of 3 bytes', async () => {
    const header = Buffer.concat([le32(12), le16(2), le16(1), le16(1), le16(1), bytes(0, 0, 255, 0, 255, 0)])
    expect(inWords((await read(bmp(header, bytes(0x40, 0, 0, 0)))).pixels)).toEqual(['ff0000 00ff00'])
  })

  it('missing rows are transparent, with a Warning', async () => {
    const { pixels, warnings } = await read(bmp(two({}), bytes(255, 0, 0, 255, 255, 255, 0, 0)))
    expect(inWords(pixels)).toEqual(['- -', '0000ff ffffff'])
    expect(warnings).toEqual([expect.stringContaining('truncated')])
  })

  it.each<[string, Buffer, string]>([
    ['without a row', bmp(two({}), bytes(1, 2)), 'SOURCE_DAMAGED'],
    ['without a width', bmp(two({ width: 0 }), bytes(1, 2)), 'SOURCE_DAMAGED'],
    ['of a negative width', bmp(two({ width: -5 }), bytes(1, 2)), 'SOURCE_DAMAGED'],
    ['with a JPEG inside', bmp(two({ compression: 4 }), bytes(1, 2)), 'FORMAT_UNSUPPORTED'],
    ['of 7 bits', bmp(two({ bits: 7 }), bytes(1, 2)), 'FORMAT_UNSUPPORTED'],
    ['of run lengths in 24 bits', bmp(two({ compression: 1 }), bytes(1, 2)), 'FORMAT_UNSUPPORTED'],
    ['of a gigapixel in 60 bytes', bmp(dib({ width: 32_000, height: 32_000, bits: 1 }), bytes(1, 2)), 'SOURCE_DAMAGED'],
  ])('a BMP %s is refused', async (_, file, code) => {
    await expect(read(file)).rejects.toMatchObject({ code })
  })
})

describe('ICO', () => {
  const png = (side: number, background: string): Promise<Buffer> =>
    sharp({ create: { width: side, height: side, channels: 4, background } })
      .png()
      .toBuffer()
  /** One row of two pixels: colours, then the mask. */
  const icon = (bits: number, pixels: Buffer, mask: number): Buffer =>
    Buffer.concat([dib({ width: 2, height: 2, bits }), pixels, bytes(mask, 0, 0, 0)])

  it('decodes the largest image in any packing', async () => {
    const images = [
      { side: 2, bits: 32, data: icon(32, bytes(0, 0, 255, 255, 0, 255, 0, 255), 0) },
      { side: 256, bits: 32, data: await png(256, '#00ff00') },
      { side: 16, bits: 32, data: await png(16, '#0000ff') },
    ]
    const { facts, pixels } = await read(ico(images))
    expect(facts).toMatchObject({ format: 'ico', width: 256, height: 256 })
    expect([...pixels.data.subarray(0, 4)]).toEqual([0, 255, 0, 255])
  })

  it.each<[string, Buffer, readonly string[]]>([
    ['alpha of 32 bits', icon(32, bytes(0, 0, 255, 255, 0, 255, 0, 64), 0), ['ff0000 00ff00.40']],
    ['the mask where alpha is zero throughout', icon(32, bytes(0, 0, 255, 0, 0, 255, 0, 0), 0x40), ['ff0000 -']],
    ['the mask of 24 bits', icon(24, bytes(0, 0, 255, 0, 255, 0, 0, 0), 0x80), ['- 00ff00']],
  ])('an icon is transparent by %s', async (_, data, expected) => {
    const { pixels } = await read(ico([{ side: 2, bits: 32, data }]))
    expect(inWords(pixels)).toEqual(expected)
  })

  it.each<[string, Buffer]>([
    ['whose image lies behind its end', ico([{ side: 9, bits: 32, data: Buffer.alloc(0) }])],
    ['cut off in its directory', ico([{ side: 9, bits: 32, data: Buffer.alloc(90) }]).subarray(0, 14)],
  ])('an icon %s is damaged', async (_, file) => {
    await expect(read(file)).rejects.toMatchObject({ code: 'SOURCE_DAMAGED' })
  })
})

describe('PSD', () => {
  const planes = [bytes(255, 0, 0, 255), bytes(0, 255, 0, 255), bytes(0, 0, 255, 255)]
  const square = { width: 2, height: 2, planes }

  it.each<[string, Buffer, readonly string[]]>([
    ['RGB', psd(square), ['ff0000 00ff00', '0000ff ffffff']],
    [
      'a saved selection is no transparency',
      psd({ ...square, planes: [...planes, bytes(0, 0, 0, 0)] }),
      ['ff0000 00ff00', '0000ff ffffff'],
    ],
    [
      'transparency, where white lies under the colours',
      psd({
        width: 2,
        height: 1,
        transparent: true,
        planes: [bytes(255, 255), bytes(127, 255), bytes(127, 255), bytes(128, 0)],
      }),
      ['ff0000.80 -'],
    ],
    [
      '16 bits',
      psd({
        ...square,
        depth: 16,
        planes: planes.map((plane) => Buffer.from([...plane].flatMap((level) => [level, level]))),
      }),
      ['ff0000 00ff00', '0000ff ffffff'],
    ],
    ['grey', psd({ ...square, mode: 1, planes: [bytes(0, 64, 128, 255)] }), ['000000 404040', '808080 ffffff']],
    [
      'black and white',
      psd({ ...square, mode: 0, depth: 1, planes: [bytes(0x40, 0x80)] }),
      ['ffffff 000000', '000000 ffffff'],
    ],
    [
      'a palette',
      psd({ ...square, mode: 2, palette: Buffer.alloc(768, 7).fill(9, 256, 512), planes: [bytes(0, 1, 2, 3)] }),
      ['070907 070907', '070907 070907'],
    ],
  ])('decodes a PSD: %s', async (_, file, expected) => {
    const { facts, pixels } = await read(file)
    expect(facts).toMatchObject({ format: 'psd', width: pixels.width, height: pixels.height })
    expect(inWords(pixels)).toEqual(expected)
  })

  it('the profile of a PSD is applied', async () => {
    const red = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
    const { icc } = await sharp(await red.withIccProfile('p3').png().toBuffer()).metadata()
    const { pixels } = await read(
      psd({
        ...square,
        planes: [bytes(200, 0, 0, 0), bytes(60, 0, 0, 0), bytes(60, 0, 0, 0)],
        resources: [
          [1000, bytes(1)],
          [1039, icc!],
        ],
      }),
    )
    // P3 200, 60, 60 (CSS Color 4).
    const difference = [217, 41, 52].map((level, at) => Math.abs(level - pixels.data[at]!))
    expect(Math.max(...difference)).toBeLessThanOrEqual(4)
  })

  it('missing samples of a PSD are black, with a Warning', async () => {
    const { pixels, warnings } = await read(psd(square).subarray(0, -2))
    expect(inWords(pixels)).toEqual(['ff0000 00ff00', '000000 ffff00'])
    expect(warnings).toEqual([expect.stringContaining('truncated')])
  })

  it.each<[string, Buffer, string]>([
    ['of CMYK', psd({ ...square, mode: 4 }), 'CMYK'],
    ['of Lab', psd({ ...square, mode: 9 }), 'Lab'],
    ['of floats', psd({ ...square, depth: 32 }), '32 bits'],
    ['deflated', psd({ ...square, compression: 2 }), 'deflated'],
    [
      'without a merged picture',
      psd({ ...square, resources: [[1057, bytes(0, 0, 0, 1, 0)]] }),
      'without a merged picture',
    ],
  ])('names why a PSD %s is not decoded', async (_, file, why) => {
    await expect(read(file)).rejects.toMatchObject({
      code: 'FORMAT_UNSUPPORTED',
      message: expect.stringContaining(why),
    })
  })

  it.each<[string, Buffer]>([
    ['without pixels', psd({ ...square, planes: [] })],
    ['cut off in its header', psd(square).subarray(0, 20)],
    ['of sections that are longer than it', Buffer.from(psd(square)).fill(255, 26, 30)],
  ])('a PSD %s is damaged', async (_, file) => {
    await expect(read(file)).rejects.toMatchObject({ code: 'SOURCE_DAMAGED' })
  })
})
