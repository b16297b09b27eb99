import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Raster } from '../../src/core/image.ts'
import { decode } from '../../src/raster/decode.ts'
import { loadPackage } from '../../src/raster/decoders/decoder.ts'
import { identify } from '../../src/source/identify.ts'
import { colourOf, distance, farthest } from './drawings.ts'
import {
  auxAlpha,
  auxGainMap,
  codedImage,
  gridData,
  type HeifItem,
  heifFile,
  imir,
  irot,
  ispe,
  nclx,
  prof,
} from './heif-file.ts'

const fixture = (name: string): string => new URL(`../fixtures/source/${name}`, import.meta.url).pathname
const limits = { maxPixels: 1e8 }

let directory = ''
let count = 0
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'foreign-'))
})
afterAll(() => rm(directory, { recursive: true }))

const saved = async (bytes: Uint8Array): Promise<string> => {
  const path = join(directory, String(count++))
  await writeFile(path, bytes)
  return path
}
const readFileAs = async (path: string) => decode({ path, facts: await identify(path), limits })
const read = async (bytes: Uint8Array) => readFileAs(await saved(bytes))

const photo = async (): Promise<Raster> => {
  const { data, info } = await sharp(new URL('../fixtures/jpeg/kodim23-190x158.png', import.meta.url).pathname)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, channels: 3, data }
}

/** The colours of the four quarters of the drawing `quarters`, from top left to bottom right: R, G, B or Y. */
const quartersOf = (pixels: Raster, left = 0, top = 0): string =>
  [
    [16, 16],
    [48, 16],
    [16, 48],
    [48, 48],
  ]
    .map(([x, y]) => colourOf(pixels, left + x!, top + y!).map((level) => (level > 130 ? 1 : 0)))
    .map(([r, g, b]) => (b === 1 ? 'B' : r === 1 ? (g === 1 ? 'Y' : 'R') : 'G'))
    .join('')

describe('HEIC', () => {
  const quarters = codedImage(fixture('quarters.heic'))
  const halves = codedImage(fixture('halves.heic'))
  const item = (...properties: readonly Buffer[]): HeifItem => ({
    type: 'hvc1',
    data: quarters.data,
    properties: [quarters.hvcC, ispe(64, 64), ...properties],
  })

  it('a photograph comes out as it went in', async () => {
    const { pixels, warnings } = await readFileAs(fixture('kodim23-190x158.heic'))
    expect(distance(pixels, await photo())).toBeLessThan(4)
    expect(warnings).toEqual([])
  })

  it.each([
    ['as it is', [], 'RGBY'],
    ['a quarter turn', [irot(1)], 'GYRB'],
    ['half a turn', [irot(2)], 'YBGR'],
    ['three quarters', [irot(3)], 'BRYG'],
    ['mirrored top to bottom', [imir(0)], 'BYRG'],
    ['mirrored left to right', [imir(1)], 'GRYB'],
    ['turned, then mirrored', [irot(1), imir(1)], 'YGBR'],
  ])('an image is shown %s', async (_, transforms, expected) => {
    const { pixels } = await read(heifFile([item(...transforms)]))
    expect(quartersOf(pixels)).toBe(expected)
  })

  it('a grid is assembled and cropped to its size', async () => {
    const grid = {
      type: 'grid',
      data: gridData(2, 2, 120, 100),
      properties: [ispe(120, 100)],
      refers: { how: 'dimg', to: [2, 3, 4, 5] },
    } as const
    const path = await saved(heifFile([grid, item(), item(), item(), item()]))
    expect(await identify(path)).toMatchObject({ format: 'heic', width: 120, height: 100, depth: 8 })
    const { pixels } = await readFileAs(path)
    expect([pixels.width, pixels.height]).toEqual([120, 100])
    expect([quartersOf(pixels), quartersOf(pixels, 64, 0)]).toEqual(['RGBY', 'RGBY'])
    expect(colourOf(pixels, 16, 80)[0]).toBeGreaterThan(150)
  })

  it('an auxiliary image is its transparency', async () => {
    const alpha: HeifItem = {
      type: 'hvc1',
      data: halves.data,
      properties: [halves.hvcC, ispe(64, 64), auxAlpha],
      refers: { how: 'auxl', to: [1] },
    }
    const path = await saved(heifFile([item(), alpha]))
    expect(await identify(path)).toMatchObject({ alpha: true })
    const { pixels } = await readFileAs(path)
    expect([colourOf(pixels, 10, 10)[3], colourOf(pixels, 50, 10)[3]]).toEqual([0, 255])
    expect(quartersOf(pixels)).toBe('RGBY')
  })

  it('an auxiliary gain map is reported, and does not change pixels', async () => {
    const map: HeifItem = {
      type: 'hvc1',
      data: halves.data,
      properties: [halves.hvcC, ispe(64, 64), auxGainMap],
      refers: { how: 'auxl', to: [1] },
    }
    const path = await saved(heifFile([item(), map]))
    expect(await identify(path)).toMatchObject({ alpha: false, gainMap: true, width: 64 })
    expect(quartersOf((await readFileAs(path)).pixels)).toBe('RGBY')
  })

  it.each([
    ['P3 by code points', () => nclx(12, 13)],
    [
      'P3 by a profile',
      async () =>
        prof(
          (
            await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
              .withIccProfile('p3')
              .png()
              .toBuffer()
              .then((png) => sharp(png).metadata())
          ).icc!,
        ),
    ],
  ])('colours of %s become sRGB', async (_, property) => {
    const path = await saved(heifFile([item(await property())]))
    expect((await identify(path)).profile).toBe('other')
    const [plain, wide] = [(await read(heifFile([item()]))).pixels, (await readFileAs(path)).pixels]
    const [red, wideRed] = [colourOf(plain, 16, 16), colourOf(wide, 16, 16)]
    // P3 200, 60, 60 is sRGB 217, 41, 52 (CSS Color 4).
    expect(Math.abs(wideRed[0]! - red[0]! - 17)).toBeLessThanOrEqual(4)
    expect(Math.abs(wideRed[1]! - red[1]! + 19)).toBeLessThanOrEqual(4)
  })

  it('PQ by code points is darker than its samples', async () => {
    const { pixels } = await read(heifFile([item(nclx(1, 16))]))
    // 200/255 of PQ exceeds the peak; 60/255 is 4 cd/m2.
    expect(colourOf(pixels, 16, 16)[0]).toBeGreaterThan(250)
    expect(colourOf(pixels, 16, 16)[1]).toBeLessThan(40)
  })

  it.each([
    ['cut off', heifFile([item()]).subarray(0, -100)],
    ['of coded data that is none', heifFile([{ ...item(), data: Buffer.alloc(300, 7) }])],
    [
      'of a grid without tiles',
      heifFile([{ type: 'grid', data: gridData(2, 2, 128, 128), properties: [ispe(128, 128), quarters.hvcC] }]),
    ],
    [
      'of a grid that refers to itself',
      heifFile([
        {
          type: 'grid',
          data: gridData(1, 1, 64, 64),
          properties: [ispe(64, 64), quarters.hvcC],
          refers: { how: 'dimg', to: [1] },
        },
      ]),
    ],
  ])('a HEIC is damaged when it is %s', async (_, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: 'SOURCE_DAMAGED' })
  })

  it('an image larger than its header says is refused', async () => {
    const path = await saved(heifFile([item()]))
    const facts = await identify(path)
    await expect(decode({ path, facts, limits: { maxPixels: 1000 } })).rejects.toMatchObject({ code: 'SOURCE_DAMAGED' })
  })
})

describe('JPEG XL', () => {
  it('a photograph comes out as it went in', async () => {
    const { pixels, warnings } = await readFileAs(fixture('kodim23-190x158.jxl'))
    expect(distance(pixels, await photo())).toBeLessThan(3)
    expect(warnings).toEqual([])
  })

  it('an animated JPEG XL gives its first frame, with a Warning', async () => {
    const { warnings } = await readFileAs(fixture('two-frames.jxl'))
    expect(warnings).toEqual(['The source is animated; only its first frame is used.'])
  })

  it('PQ is tone-mapped as Chromium 156 does', async () => {
    const { pixels } = await readFileAs(fixture('grey-steps-pq.jxl'))
    const greys = Array.from({ length: 14 }, (_, at) => colourOf(pixels, at * 16 + 8, 8)[0])
    expect(greys).toEqual([3, 18, 44, 80, 131, 164, 187, 200, 222, 240, 255, 255, 255, 255])
  })

  it('a JPEG XL truncated in its header is damaged', async () => {
    const bytes = await readFile(fixture('kodim23-190x158.jxl'))
    await expect(read(bytes.subarray(0, 40))).rejects.toMatchObject({ code: 'SOURCE_DAMAGED' })
  })

  it('decodes an image after a broken one', async () => {
    const bytes = Buffer.from(await readFile(fixture('quarters.jxl')))
    const { pixels } = await read(bytes)
    for (const at of [20, 30, 40, 50]) await read(Buffer.from(bytes).fill(255, at, at + 8)).catch(() => undefined)
    expect(farthest((await read(bytes)).pixels, pixels)).toBe(0)
    expect(quartersOf(pixels)).toBe('RGBY')
  })
})

it('the failure names the missing package', async () => {
  const wanted = { what: 'A HEIC source', name: 'libheif-none' }
  await expect(loadPackage(wanted, () => import(`${wanted.name}`))).rejects.toMatchObject({
    code: 'PACKAGE_MISSING',
    message: expect.stringContaining('npm install libheif-none'),
  })
})
