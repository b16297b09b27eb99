import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Region } from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Case, FIXTURES, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start()
})
afterAll(() => service[Symbol.asyncDispose]())
afterEach(() => expect.poll(service.leftovers).toEqual([]))

const optimise = async (options: string, name: string, accept = '*/*') => {
  const answer = await service.post(`anna/${options}/${service.file(name)}`, { headers: { accept } })
  const body = Buffer.from(await answer.arrayBuffer())
  if (answer.status !== 200) throw new Error(`${answer.status} ${body}`)
  expect(Number(answer.headers.get('content-length'))).toBe(body.length)
  return {
    body,
    type: answer.headers.get('content-type'),
    warning: answer.headers.get('warning'),
    headers: answer.headers,
  }
}

const rgba = (image: Buffer | string) =>
  sharp(image).ensureAlpha().toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
const pixelAt = async (image: Buffer, x: number, y: number): Promise<number[]> => {
  const { data, info } = await rgba(image)
  return [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)]
}
/** Maximum difference between the mean colours of two images of the same size, 0 to 255. */
const meanDistance = async (one: Buffer, other: Buffer): Promise<number> => {
  const [a, b] = await Promise.all([sharp(one).stats(), sharp(other).stats()])
  return Math.max(...a.channels.slice(0, 3).map(({ mean }, at) => Math.abs(mean - b.channels[at]!.mean)))
}

const PHOTO = 'jpeg/kodim23-190x158.png' // 190x158
const JPEG = 'jpeg/testdata__flower_small.q85_420_non_interleaved.jpg' // 510x532

describe('pixel sizes (§2)', () => {
  it.each<[string, string, number, number]>([
    ['full', PHOTO, 190, 158],
    ['100x100', PHOTO, 100, 83],
    ['1000x50', PHOTO, 60, 50],
    ['100', PHOTO, 100, 83],
    ['x79', PHOTO, 95, 79],
    ['50x50,2x', PHOTO, 100, 83],
    ['50,3x', PHOTO, 150, 125],
    ['380x316,fit', PHOTO, 380, 316],
    ['380x316,scale-down', PHOTO, 190, 158],
    ['380x316', PHOTO, 190, 158],
    ['100x50,crop', PHOTO, 100, 50],
    ['50x25,crop,2x', PHOTO, 100, 50],
    ['100x50,crop=auto', PHOTO, 100, 50],
    ['100x50,crop=top', PHOTO, 100, 50],
    ['100x50,crop=0.2x0.9', PHOTO, 100, 50],
    ['100x50,pad', PHOTO, 100, 50],
    ['60x100,pad,2x', PHOTO, 120, 200],
    ['100', JPEG, 100, 104],
    ['100', 'svg/thumbor__Commons-logo.svg', 100, 134],
    ['100x100,crop', 'svg/thumbor__Commons-logo.svg', 100, 100],
    ['40', 'motion/sharp__rotating-squares.gif', 40, 40],
    ['full', 'pixels/pillow__hopper_orientation_6.jpg', 128, 128],
    ['full,format=png', 'pixels/testdata__sideways_bench.jpg', 243, 201],
    ['100', 'pixels/testdata__sideways_bench.jpg', 100, 83],
    ['50', 'jpeg/thumbor__cmyk.jpg', 50, 50],
    ['100', 'source/serenity__Qpalette.webp', 100, 100],
    ['100', 'source/serenity__ccitt4.tiff', 100, 75],
    ['100', 'source/kodim23-190x158.heic', 100, 83],
    ['60,crop=auto', 'source/kodim23-190x158.heic', 60, 50],
    ['full', 'source/rle8.bmp', 32, 16],
    ['8', 'source/pillow__hopper.ico', 8, 8],
    ['full,format=webp', 'source/hopper-32x32.psd', 32, 32],
    ['full', 'source/kodim23-190x158.jxl', 190, 158],
    ['95x79,crop', 'source/kodim23-190x158.jxl', 95, 79],
  ])('%s of %s is %i x %i px', async (options, name, width, height) => {
    const { body } = await optimise(options, name)
    expect(await sharp(body).metadata()).toMatchObject({ width, height })
  })
})

describe('the content of results (§2, §3)', () => {
  it.each<[string, (width: number, height: number) => Region]>([
    ['left', (_, height) => ({ left: 0, top: 0, width: height / 2, height })],
    ['right', (width, height) => ({ left: width - height / 2, top: 0, width: height / 2, height })],
    ['0x0.5', (_, height) => ({ left: 0, top: 0, width: height / 2, height })],
    ['0.5x0.5', (width, height) => ({ left: Math.round(width / 2 - height / 4), top: 0, width: height / 2, height })],
  ])('crop=%s keeps its part', async (focus, region) => {
    const source = await readFile(join(FIXTURES, PHOTO))
    const { body } = await optimise(`40x80,crop=${focus},quality=high`, PHOTO)
    const expected = await sharp(source).extract(region(190, 158)).resize(40, 80).png().toBuffer()
    expect(await meanDistance(body, expected)).toBeLessThan(4)
  })

  it('pads with white, a colour, or transparency', async () => {
    expect(await pixelAt((await optimise('100x200,pad', PHOTO)).body, 50, 3)).toSatisfy((pixel: number[]) =>
      pixel.every((value) => value > 247),
    )
    const [red, green, blue] = await pixelAt((await optimise('100x200,pad,bgcolor=D02010', PHOTO)).body, 50, 3)
    expect([Math.abs(red! - 0xd0) < 8, Math.abs(green! - 0x20) < 8, Math.abs(blue! - 0x10) < 8]).toEqual([
      true,
      true,
      true,
    ])
    const clear = await optimise('100x200,pad,bgcolor=transparent', PHOTO)
    expect([clear.type, (await pixelAt(clear.body, 50, 3))[3]]).toEqual(['image/png', 0])
  })

  it('flattens transparency onto bgcolor for JPEG', async () => {
    const { body, type } = await optimise('full,format=jpeg,bgcolor=00f', 'svg/sharp__check.svg')
    const [red, , blue] = await pixelAt(body, 2, 2)
    expect([type, red! < 12, blue! > 243]).toEqual(['image/jpeg', true, true])
  })

  it('trims a border before resizing', async () => {
    const { body } = await optimise('full,trim=border,format=png', 'http/bordered.png')
    expect(await sharp(body).metadata()).toMatchObject({ width: 60, height: 40 })
    expect(await sharp((await optimise('30,trim=border', 'http/bordered.png')).body).metadata()).toMatchObject({
      width: 30,
      height: 20,
    })
  })

  it.each([2, 3, 4, 5, 6, 7, 8])('bakes orientation %i in', async (orientation) => {
    const name = `pixels/pillow__hopper_orientation_${orientation}.jpg`
    const upright = await sharp(join(FIXTURES, name)).rotate().resize(64, 64).png().toBuffer()
    const { body } = await optimise('64,quality=high,format=png', name)
    const [a, b] = [(await rgba(body)).data, (await rgba(upright)).data]
    const difference = a.reduce((sum, value, at) => sum + Math.abs(value - b[at]!), 0) / a.length
    expect(difference).toBeLessThan(8)
    expect((await sharp(body).metadata()).orientation ?? 1).toBe(1)
  })

  it('turns CMYK into sRGB', async () => {
    const { body } = await optimise('full,quality=high', 'jpeg/pillow__pil_sample_cmyk.jpg')
    expect(await sharp(body).metadata()).toMatchObject({ space: 'srgb' })
    const inks = await sharp(join(FIXTURES, 'jpeg/pillow__pil_sample_cmyk.jpg'))
      .pipelineColourspace('cmyk')
      .toColourspace('cmyk')
      .raw()
      .toBuffer()
    // Without a profile each ink removes its share of the light.
    const shown = Buffer.from(
      Array.from({ length: (inks.length / 4) * 3 }, (_, at) => {
        const pixel = Math.floor(at / 3) * 4
        return ((255 - inks[pixel + (at % 3)]!) * (255 - inks[pixel + 3]!)) / 255
      }),
    )
    const own = await sharp(shown, { raw: { width: 100, height: 100, channels: 3 } })
      .png()
      .toBuffer()
    expect(await meanDistance(body, own)).toBeLessThan(3)
  })
})

describe('lossless (§3.3)', () => {
  it.each([
    ['a JPEG', JPEG, 'image/jpeg'],
    ['a palette PNG', 'pixels/pngsuite__basn3p02.png', 'image/png'],
    ['a PNG of 16 bits a channel', 'pixels/pngsuite__basn6a16.png', 'image/png'],
    ['a PNG with a transparent colour', 'pixels/pngsuite__tbbn0g04.png', 'image/png'],
    ['a photo in PNG', PHOTO, 'image/png'],
    ['a CMYK JPEG', 'jpeg/thumbor__cmyk.jpg', 'image/jpeg'],
  ])('%s keeps every pixel and does not grow', async (_, name, type) => {
    const source = await readFile(join(FIXTURES, name))
    const { body, type: found } = await optimise('full,quality=lossless', name)
    expect(found).toBe(type)
    expect(body.length).toBeLessThanOrEqual(source.length)
    const raw = (image: Buffer) => sharp(image).raw({ depth: 'ushort' }).toBuffer()
    expect((await raw(body)).equals(await raw(source))).toBe(true)
  })
  it('a GIF keeps every frame', async () => {
    const name = 'motion/sharp__animated-loop-3.gif'
    const { body, type } = await optimise('full,quality=lossless', name)
    expect(type).toBe('image/gif')
    const raw = (image: Buffer | string) => sharp(image, { animated: true }).ensureAlpha().raw().toBuffer()
    expect((await raw(body)).equals(await raw(join(FIXTURES, name)))).toBe(true)
  })
})

describe('formats (§4)', () => {
  it.each<[string, string, string, string]>([
    ['full', JPEG, '*/*', 'image/jpeg'],
    ['full', PHOTO, 'image/*', 'image/jpeg'],
    ['full', 'pixels/pngsuite__basn3p02.png', '*/*', 'image/png'],
    ['full,format=png', JPEG, '*/*', 'image/png'],
    ['full,format=jpeg', PHOTO, '*/*', 'image/jpeg'],
    ['full,format=webp', PHOTO, '*/*', 'image/webp'],
    ['full,format=avif', PHOTO, '*/*', 'image/avif'],
    ['full,format=gif', PHOTO, '*/*', 'image/gif'],
    ['full', 'source/serenity__Qpalette.webp', '*/*', 'image/jpeg image/png'],
    ['full', 'source/serenity__ccitt4.tiff', '*/*', 'image/png'],
    ['full', 'motion/sharp__rotating-squares.gif', '*/*', 'image/gif'],
    ['full', 'svg/sharp__check.svg', '*/*', 'image/svg+xml'],
    ['50', 'svg/sharp__check.svg', '*/*', 'image/png'],
    ['full,format=png', 'svg/sharp__check.svg', '*/*', 'image/png'],
    ['full', PHOTO, 'image/webp,*/*', 'image/webp image/jpeg'], // whichever is smaller: they are near
    ['full', 'pixels/pngsuite__tbbn0g04.png', 'image/webp,*/*', 'image/webp image/png'],
    ['full', PHOTO, 'image/avif,*/*', 'image/avif'],
    ['full', PHOTO, 'image/jxl,*/*', 'image/jxl'],
    ['full,format=jxl', PHOTO, '*/*', 'image/jxl'],
    ['full,format=jxl', 'pixels/pngsuite__tbbn0g04.png', '*/*', 'image/png'],
  ])('%s of %s for %s is %s', async (options, name, accept, type) => {
    const answer = await optimise(options, name, accept)
    expect(type.split(' ')).toContain(answer.type)
    if (answer.type !== 'image/svg+xml') expect(answer.type).toBe(`image/${await formatOf(answer.body)}`)
    expect(answer.headers.get('vary')).toBe(/format=(?!jxl)/.test(options) ? null : 'Accept')
  })

  const formatOf = async (body: Buffer): Promise<string> => {
    if (body.readUInt16BE(0) === 0xff0a) return 'jxl'
    const { format } = await sharp(body).metadata()
    return format === 'heif' ? 'avif' : format
  }

  it.each<[string, string, string]>([
    ['full', 'image/gif', 'motion/sharp__rotating-squares.gif'],
    ['40', 'image/gif', 'motion/sharp__rotating-squares.gif'],
    ['60x30,crop', 'image/gif', 'motion/sharp__rotating-squares.gif'],
    ['60x30,pad,bgcolor=abc', 'image/gif', 'motion/sharp__animated-loop-3.gif'],
    ['40,format=webp', 'image/webp', 'motion/sharp__rotating-squares.gif'],
  ])('%s keeps an animation moving as %s: %s', async (options, type, name) => {
    const answer = await optimise(options, name)
    const [before, after] = await Promise.all([
      sharp(join(FIXTURES, name), { animated: true }).metadata(),
      sharp(answer.body, { animated: true }).metadata(),
    ])
    const duration = (delays: readonly number[] = []) => delays.reduce((sum, delay) => sum + delay, 0)
    expect([answer.type, duration(after.delay), after.loop]).toEqual([type, duration(before.delay), before.loop])
    expect(after.pages ?? 1).toBeGreaterThan(1)
  })

  it.each(['png', 'jpeg'])('format=%s takes the first frame', async (format) => {
    const { body } = await optimise(`full,format=${format}`, 'motion/sharp__rotating-squares.gif')
    expect((await sharp(body).metadata()).pages ?? 1).toBe(1)
  })

  it.each(['webm', 'h264'])('format=%s of a still image is refused', async (format) => {
    const answer = await service.post(`anna/full,format=${format}/${service.file(PHOTO)}`)
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('animated GIF')])
  })

  it('sanitises SVG', async () => {
    const { body, headers } = await optimise('full', 'svg/imgproxy__test1.svg')
    expect(body.toString()).not.toMatch(/script|onload|onclick|foreignObject|https?:\/\/example|javascript:/i)
    expect(body.toString()).toContain('<svg')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })
})

describe('weight and metadata (§3.4, §3.5)', () => {
  it.each([
    JPEG,
    PHOTO,
    'jpeg/squoosh__screenshot2.jpg',
    'jpeg/pillow__iptc_roundUp.jpg',
    'pixels/pngsuite__tbbn0g04.png',
    'pixels/pngsuite__basn3p02.png',
    'motion/image-gif__anim-gr.gif',
    'motion/libgd__delay_0.gif',
    'svg/sharp__check.svg',
    'svg/thumbor__Commons-logo.svg',
    'jpeg/thumbor__grayscale-icc.jpg',
  ])('%s never grows at full size', async (name) => {
    const source = await readFile(join(FIXTURES, name))
    for (const quality of ['low', 'high', 'lossless']) {
      const { body, headers } = await optimise(`full,quality=${quality}`, name)
      expect(body.length).toBeLessThanOrEqual(source.length)
      expect(headers.get('x-source-bytes')).toBe(String(source.length))
    }
  })

  it.each([
    'full',
    'full,quality=lossless',
    '100',
    'full,format=webp',
    'full,format=png',
  ])('%s drops GPS, thumbnail and comments', async (options) => {
    const { body } = await optimise(options, 'http/gps.jpg')
    const { exif, xmp, iptc } = await sharp(body).metadata()
    expect([xmp, iptc]).toEqual([undefined, undefined])
    expect(exif?.includes('GPS') ?? false).toBe(false)
    expect(body.includes('Secret')).toBe(false)
  })

  it.each([
    ['pixels/pillow__truncated_jpeg.jpg', 'image/jpeg'],
    ['pixels/thumbor__BlueSquare_truncated.jpg', 'image/png'],
  ])('%s, truncated, is optimised to %s with a Warning', async (name, expected) => {
    const { type, warning } = await optimise('full', name)
    expect(type).toBe(expected)
    expect(warning).toMatch(/truncated|incomplete|missing|cut/i)
  })
})
