import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAppleGainMap, readGainMap, withGainMap } from '../../src/containers/gain-map.ts'
import { readGainMapMetadata, writeGainMapMetadata } from '../../src/containers/gain-map-metadata.ts'
import { JPEG_MARKER, writeJpegSegment } from '../../src/containers/jpeg.ts'
import { NITS } from '../../src/core/hdr.ts'
import { toPqCode } from '../../src/metric/hdr-error.ts'
import { type Case, FIXTURES, start } from './start.ts'

const SOURCE = await readFile(join(FIXTURES, 'source/gain-map.jpg'))
const LOST = /gain map/

let service: Case
beforeAll(async () => {
  service = await start()
})
afterAll(() => service[Symbol.asyncDispose]())

/** Posts an image. Returns the result, its Warning, and its gain map according to libultrahdr. */
const make = async (options: string, body = SOURCE, accept = '*/*') => {
  const headers = { 'content-type': 'image/jpeg', accept }
  const answer = await service.post(`anna/${options}`, { headers, body })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const { gainMap, width, height, format } = await sharp(bytes).metadata()
  return { bytes, gainMap: gainMap?.image, width, height, format, warning: answer.headers.get('warning') ?? '' }
}

describe('a gain map (§3.5)', () => {
  it.each([
    ['full', '*/*'],
    ['full', 'image/avif,image/webp,*/*'],
    ['full,quality=low', '*/*'],
    ['full,quality=lossless', '*/*'],
    ['full,format=jpeg,quality=high', '*/*'],
  ])('a gain map is kept by %s with Accept: %s, in fewer bytes than the source', async (options, accept) => {
    const { bytes, gainMap, format, warning } = await make(options, SOURCE, accept)
    expect(format).toBe('jpeg')
    expect(bytes.length).toBeLessThan(SOURCE.length)
    expect(warning).not.toMatch(LOST)
    const { gainMap: source } = await sharp(SOURCE).metadata()
    const [before, after] = await Promise.all([source!.image, gainMap!].map((map) => sharp(map).raw().toBuffer()))
    expect(after!.equals(before!)).toBe(true)
  })

  it('a gain map is rotated together with the pixels', async () => {
    // Exif with one entry, before everything else.
    const exif = Buffer.from('ffe100224578696600004d4d002a00000008000101120003000000010006000000000000', 'hex')
    const turned = Buffer.concat([SOURCE.subarray(0, 2), exif, SOURCE.subarray(2)])
    const { gainMap, width, height } = await make('full,quality=low', turned)
    const map = await sharp(gainMap!).metadata()
    expect([width, height, map.width > map.height]).toEqual([158, 190, false])
  })

  it.each([
    ['full,format=webp', '*/*'],
    ['300x300,pad', '*/*'],
    ['100', 'image/webp'],
  ])('a gain map is left out by %s with Accept: %s, with a Warning', async (options, accept) => {
    const { gainMap, warning } = await make(options, SOURCE, accept)
    expect([gainMap, warning]).toEqual([undefined, expect.stringMatching(LOST)])
  })

  it('an unreadable gain map is left out, with a Warning', async () => {
    const cut = SOURCE.subarray(0, SOURCE.lastIndexOf(Buffer.of(0xff, 0xd8)) + 40)
    const { gainMap, warning, width } = await make('full', cut)
    expect([gainMap, width, warning]).toEqual([undefined, 190, expect.stringMatching(LOST)])
  })

  it('a gain map whose samples end too early is left out, with a Warning', async () => {
    const { gainMap, warning, width } = await make('160', SOURCE.subarray(0, -300))
    expect([gainMap, width, warning]).toEqual([undefined, 160, expect.stringMatching(LOST)])
  })
})

/** A grey photograph of 320 x 200 px whose map of 160 x 100 brightens one square, from (80, 20) to (120, 60) of the map. */
const lamp = async (): Promise<Buffer<ArrayBuffer>> => {
  const base = await sharp({ create: { width: 320, height: 200, channels: 3, background: '#777' } })
    .composite([
      { input: Buffer.from('<svg width="320" height="200"><circle cx="60" cy="120" r="50" fill="#a63"/></svg>') },
    ])
    .jpeg({ quality: 95 })
    .toBuffer()
  const samples = Uint8Array.from({ length: 160 * 100 }, (_, i) => {
    const [x, y] = [i % 160, Math.floor(i / 160)]
    return x >= 80 && x < 120 && y >= 20 && y < 60 ? 250 : 4
  })
  const jpeg = await sharp(samples, { raw: { width: 160, height: 100, channels: 1 } })
    .toColourspace('b-w')
    .jpeg({ quality: 97 })
    .toBuffer()
  const channels = [{ min: 0, max: 2, gamma: 1, baseOffset: 1 / 64, alternateOffset: 1 / 64 }]
  const metadata = { channels, baseHeadroom: 0, alternateHeadroom: 2, inBaseColours: true }
  return Buffer.from(withGainMap(base, { jpeg, segments: writeGainMapMetadata(metadata) }))
}

/** Box of the bright samples, as fractions of the sides of the map. */
const brightBox = async (map: Buffer) => {
  const { data, info } = await sharp(map).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
  const at = [...data.keys()].filter((i) => data[i]! > 128)
  const [xs, ys] = [at.map((i) => i % info.width), at.map((i) => Math.floor(i / info.width))]
  const of = (list: readonly number[], side: number) => [Math.min(...list) / side, (Math.max(...list) + 1) / side]
  return { x: of(xs, info.width), y: of(ys, info.height), width: info.width, height: info.height }
}

/**
 * Brightness of a pixel in code values of PQ at 10 bits, as libultrahdr (in libvips) shows it on a display with the
 * headroom of the map.
 */
const renderHdr = async (jpeg: Buffer): Promise<(at: { readonly x: number; readonly y: number }) => number> => {
  // The types of sharp 0.35 lack this method.
  const image = (sharp(jpeg) as Sharp & { withGainMap(): Sharp })
    .withGainMap()
    .toColourspace('scrgb')
    .raw({ depth: 'float' })
  const { data, info } = await image.toBuffer({ resolveWithObject: true })
  const light = new Float32Array(data.buffer, data.byteOffset, data.length / Float32Array.BYTES_PER_ELEMENT)
  return ({ x, y }) => toPqCode(NITS.white * light[(y * info.width + x) * info.channels]!)
}

const near = ([low, high]: readonly number[], [least, most]: readonly number[]): boolean =>
  Math.abs(low! - least!) < 0.04 && Math.abs(high! - most!) < 0.04

describe('a gain map through changes of the image (§3.5)', () => {
  // The lamp lies between 0.5 and 0.75 of the width, and between 0.2 and 0.6 of the height.
  it.each([
    ['160', { x: [0.5, 0.75], y: [0.2, 0.6] }],
    ['160x100,crop,quality=low', { x: [0.5, 0.75], y: [0.2, 0.6] }],
    // The right half, with its full height.
    ['160x200,crop=right', { x: [0, 0.5], y: [0.2, 0.6] }],
    ['160x200,crop=1x0.5,format=jpeg', { x: [0, 0.5], y: [0.2, 0.6] }],
    // The upper half in the full width.
    ['160x50,crop=top', { x: [0.5, 0.75], y: [0.4, 1] }],
  ])('shows the same part as the pixels of %s', async (options, box) => {
    const { gainMap, warning, bytes } = await make(options, await lamp())
    expect(warning).not.toMatch(LOST)
    const bright = await brightBox(gainMap!)
    expect([near(bright.x, box.x), near(bright.y, box.y), bright]).toEqual([true, true, bright])
    // Both forms of metadata are written, since some readers know only one.
    expect(readGainMapMetadata([readGainMap(gainMap!)!.segments[0]!])).toMatchObject({ alternateHeadroom: 2 })
    expect(readGainMap(gainMap!)!.segments).toHaveLength(2)
    expect([bytes.includes('hdrgm:Version'), bytes.includes('urn:iso:std:iso:ts:21496:-1')]).toEqual([true, true])
  })

  it('a gain map is rotated, cropped and scaled at once', async () => {
    const exif = Buffer.from('ffe100224578696600004d4d002a00000008000101120003000000010006000000000000', 'hex')
    const source = await lamp()
    const turned = Buffer.concat([source.subarray(0, 2), exif, source.subarray(2)])
    // After the rotation the lamp is between 0.4 and 0.8 of the width, and between 0.5 and 0.75 of the height.
    const { gainMap, width, height } = await make('100x80,crop=bottom', turned)
    expect([width, height]).toEqual([100, 80])
    const bright = await brightBox(gainMap!)
    expect([near(bright.x, [0.4, 0.8]), near(bright.y, [0, 0.5])]).toEqual([true, true])
  })

  it('takes fewer bytes at a lower quality, and keeps its bound on a bright display', async () => {
    const [low, high] = [await make('160,quality=low', await lamp()), await make('160,quality=high', await lamp())]
    expect(low.gainMap!.length).toBeLessThanOrEqual(high.gainMap!.length)
    const { data } = await sharp(high.gainMap!).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
    // The middle of the lamp keeps its gain of almost two stops, the background its gain near zero.
    expect(data[20 * 80 + 50]!).toBeGreaterThan(240)
    expect(data[40 * 80 + 10]!).toBeLessThan(12)
  })

  it.each([
    ['160', { lit: { x: 100, y: 40 }, dark: { x: 90, y: 90 } }],
    ['160,quality=low', { lit: { x: 100, y: 40 }, dark: { x: 90, y: 90 } }],
    ['200x200,crop=1x0.5', { lit: { x: 80, y: 80 }, dark: { x: 60, y: 180 } }],
  ])('libultrahdr shows the lamp of %s, and a point next to it, as bright as in the source', async (options, place) => {
    const source = await lamp()
    const original = await renderHdr(source)
    const result = await renderHdr((await make(options, source)).bytes)
    const [lit, dark] = [original({ x: 200, y: 80 }), original({ x: 180, y: 180 })]
    // Almost two stops brighter.
    expect(lit - dark).toBeGreaterThan(100)
    expect(Math.abs(result(place.lit) - lit)).toBeLessThan(6)
    expect(Math.abs(result(place.dark) - dark)).toBeLessThan(6)
  })

  it('the gain map shares one XMP packet with the rights of the image', async () => {
    const { bytes, gainMap } = await make('160,meta=copyright', await withRightsOf(await lamp()))
    expect(gainMap).toBeDefined()
    expect([...bytes.toString('latin1').matchAll(/xap\/1\.0\/\0/g)]).toHaveLength(2)
    expect(bytes.includes('Ada Lovelace')).toBe(true)
  })
})

/** The file with a creator in XMP, in the packet that also has Ultra HDR's data. */
const withRightsOf = async (jpeg: Buffer): Promise<Buffer<ArrayBuffer>> => {
  const at = jpeg.indexOf('</rdf:RDF>')
  const also = '<rdf:Description xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:Credit="Ada Lovelace"/>'
  const start = jpeg.lastIndexOf(Buffer.of(0xff, 0xe1), at)
  const end = start + 2 + jpeg.readUInt16BE(start + 2)
  const content = Buffer.concat([jpeg.subarray(start + 4, at), Buffer.from(also), jpeg.subarray(at, end)])
  return Buffer.concat([jpeg.subarray(0, start), writeJpegSegment(JPEG_MARKER.APP1, content), jpeg.subarray(end)])
}

describe("Apple's gain map, announced in its own XMP alone (§3.5)", () => {
  const xmp = (more: string): Uint8Array =>
    writeJpegSegment(
      JPEG_MARKER.APP1,
      Buffer.from(`http://ns.adobe.com/xap/1.0/\0<x>urn:com:apple:photo:2020:aux:hdrgainmap${more}</x>`, 'latin1'),
    )
  const HEADROOM = '<HDRGainMap:HDRGainMapHeadroom>3.5</HDRGainMap:HDRGainMapHeadroom>'
  const photograph = async (more: string): Promise<Buffer<ArrayBuffer>> => {
    const { jpeg } = readGainMap((await sharp(SOURCE).metadata()).gainMap!.image)!
    const primary = await sharp(SOURCE).jpeg({ quality: 95 }).toBuffer()
    return Buffer.from(withGainMap(primary, { jpeg, segments: [Buffer.from(xmp(more))] }))
  }

  it('full keeps a gain map that has its own headroom', async () => {
    const { bytes, warning } = await make('full,quality=low', await photograph(HEADROOM))
    expect(warning).not.toMatch(LOST)
    const map = findAppleGainMap(bytes)!
    expect(Buffer.from(map).includes(HEADROOM)).toBe(true)
    expect(await sharp(map).metadata()).toMatchObject({ format: 'jpeg' })
  })

  it('a gain map without its own headroom is left out with a Warning, and any format may be chosen', async () => {
    const { bytes, warning, format } = await make('full', await photograph(''), 'image/webp')
    expect([findAppleGainMap(bytes), format]).toEqual([undefined, 'webp'])
    expect(warning).toContain("how it is applied stands in the camera's own data alone")
  })

  it('another size keeps the gain map with its own headroom', async () => {
    const { bytes, warning } = await make('100', await photograph(HEADROOM))
    expect(warning).not.toMatch(LOST)
    const map = findAppleGainMap(bytes)!
    expect(Buffer.from(map).includes(HEADROOM)).toBe(true)
    expect((await sharp(map).metadata()).width).toBe(50)
  })

  it('padding leaves the gain map out, with a Warning', async () => {
    const { warning } = await make('300x300,pad', await photograph(HEADROOM))
    expect(warning).toContain('format=jpeg keeps it, unless the image is padded')
  })
})
