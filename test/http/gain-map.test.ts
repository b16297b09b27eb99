import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAppleGainMap, readGainMap, withGainMap } from '../../src/containers/gain-map.ts'
import { JPEG_MARKER, writeJpegSegment } from '../../src/containers/jpeg.ts'
import { type Case, FIXTURES, start } from './start.ts'

const SOURCE = await readFile(join(FIXTURES, 'source/gain-map.jpg'))
const LOST = /gain map/

let service: Case
beforeAll(async () => {
  service = await start()
})
afterAll(() => service[Symbol.asyncDispose]())

/** What a decoder of another make (libultrahdr) finds in a result, and what was said of it. */
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
  ])('is kept by %s where %s is accepted, in fewer bytes than the source', async (options, accept) => {
    const { bytes, gainMap, format, warning } = await make(options, SOURCE, accept)
    expect(format).toBe('jpeg')
    expect(bytes.length).toBeLessThan(SOURCE.length)
    expect(warning).not.toMatch(LOST)
    const { gainMap: source } = await sharp(SOURCE).metadata()
    const [before, after] = await Promise.all([source!.image, gainMap!].map((map) => sharp(map).raw().toBuffer()))
    expect(after!.equals(before!)).toBe(true)
  })

  it('is turned with pixels that are turned upright', async () => {
    // Exif of one entry, in front of everything else.
    const exif = Buffer.from('ffe100224578696600004d4d002a00000008000101120003000000010006000000000000', 'hex')
    const turned = Buffer.concat([SOURCE.subarray(0, 2), exif, SOURCE.subarray(2)])
    const { gainMap, width, height } = await make('full,quality=low', turned)
    const map = await sharp(gainMap!).metadata()
    expect([width, height, map.width > map.height]).toEqual([158, 190, false])
  })

  it.each([
    '100',
    'full,format=webp',
    '50x50,crop',
    'full,trim=border',
  ])('is left out by %s, which a Warning says', async (options) => {
    const { gainMap, warning } = await make(options)
    expect([gainMap, warning]).toEqual([undefined, expect.stringMatching(LOST)])
  })

  it('that cannot be read is left out, which a Warning says', async () => {
    const cut = SOURCE.subarray(0, SOURCE.lastIndexOf(Buffer.of(0xff, 0xd8)) + 40)
    const { gainMap, warning, width } = await make('full', cut)
    expect([gainMap, width, warning]).toEqual([undefined, 190, expect.stringMatching(LOST)])
  })
})

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

  it('is kept by full where it says itself how it is applied', async () => {
    const { bytes, warning } = await make('full,quality=low', await photograph(HEADROOM))
    expect(warning).not.toMatch(LOST)
    const map = findAppleGainMap(bytes)!
    expect(Buffer.from(map).includes(HEADROOM)).toBe(true)
    expect(await sharp(map).metadata()).toMatchObject({ format: 'jpeg' })
  })

  it('is left out where only the camera knew, which a Warning says, and any format may be chosen', async () => {
    const { bytes, warning, format } = await make('full', await photograph(''), 'image/webp')
    expect([findAppleGainMap(bytes), format]).toEqual([undefined, 'webp'])
    expect(warning).toContain("how it is applied stands in the camera's own data alone")
  })

  it('is left out by another size, which a Warning says', async () => {
    const { warning } = await make('100', await photograph(HEADROOM))
    expect(warning).toContain('it is kept in JPEG at the size of the source')
  })
})
