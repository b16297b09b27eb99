import { describe, expect, it } from 'vitest'
import { announcesGainMap, appleGainMapIn, findAppleGainMap, readGainMap, withGainMap } from './gain-map.ts'
import { JPEG_MARKER, writeJpegSegment } from './jpeg.ts'

const { APP0, APP1, APP2, COM, DQT } = JPEG_MARKER
const text = (words: string): Buffer => Buffer.from(words, 'latin1')
const segment = (marker: number, words: string): Uint8Array => writeJpegSegment(marker, text(words))
const XMP = 'http://ns.adobe.com/xap/1.0/\0<x xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"/>'
const ISO = 'urn:iso:std:iso:ts:21496:-1\0figures'
const PIXELS = Buffer.from([0xff, 0xda, 0, 2, 1, 2, 3, 0xff, 0xd9])
const jpeg = (...segments: readonly Uint8Array[]): Buffer => Buffer.concat([Buffer.of(0xff, 0xd8), ...segments, PIXELS])

it.each([
  ['XMP of Ultra HDR', APP1, XMP, true],
  ['the label of ISO 21496-1', APP2, ISO, true],
  ['a profile', APP2, 'ICC_PROFILE\0', false],
  ['Exif', APP1, 'Exif\0\0', false],
  ['the same words in a comment', COM, XMP, false],
] as const)('%s announces a gain map: %s', (_, marker, words, expected) =>
  expect(announcesGainMap(marker, text(words))).toBe(expected))

describe('a gain map', () => {
  const jfif = segment(APP0, 'JFIF\0.........')
  const table = segment(DQT, 'table')
  const file = jpeg(
    jfif,
    segment(APP1, 'Exif\0\0GPS'),
    segment(APP1, XMP),
    table,
    segment(COM, 'by'),
    segment(APP2, ISO),
  )

  it('a gain map is split into pixels and parameters without other metadata', () => {
    const map = readGainMap(file)!
    expect(map.jpeg.equals(jpeg(jfif, table))).toBe(true)
    expect(map.segments.map((one) => one.length)).toEqual([segment(APP1, XMP).length, segment(APP2, ISO).length])
  })

  it('a JPEG without parameters is no gain map', () => expect(readGainMap(jpeg(table))).toBeUndefined())

  it('a truncated or damaged gain map is read without an error', () => {
    for (let length = 0; length < file.length; length++) readGainMap(file.subarray(0, length))
    for (let at = 0; at < file.length; at++) readGainMap(Buffer.from(file.map((byte, i) => (i === at ? 0xff : byte))))
  })

  it('a gain map is appended to another JPEG with an index', () => {
    const map = readGainMap(file)!
    const both = withGainMap(jpeg(jfif, table), map)
    const second = both.indexOf(Buffer.of(0xff, 0xd8), 2)
    // Version, count, then two entries of 16 bytes: type, bytes, offset after the label.
    const index = both.indexOf('MPF\0') + 4
    const entry = (at: number): number => both.readUInt32BE(index + 50 + at)
    expect([entry(4), entry(20), index + entry(24)]).toEqual([second, both.length - second, second])
    expect(both.includes(`Item:Length="${both.length - second}"`)).toBe(true)
    expect(readGainMap(both.subarray(second))).toEqual(map)
    expect(both.subarray(2, 2 + jfif.length).equals(jfif)).toBe(true)
  })
})

describe("Apple's gain map", () => {
  const URN = 'http://ns.adobe.com/xap/1.0/\0urn:com:apple:photo:2020:aux:hdrgainmap'
  const whole = jpeg(segment(APP1, `${URN} HDRGainMap:HDRGainMapHeadroom="3.5"`))
  const partial = jpeg(segment(APP1, URN))
  const photograph = (map: Buffer): Buffer => withGainMap(jpeg(segment(DQT, 'table')), readGainMap(map)!)

  it.each([
    ['says itself how it is applied', whole, 'whole'],
    ['leaves that to the camera', partial, 'partial'],
    ['is another image', jpeg(segment(APP1, 'http://ns.adobe.com/xap/1.0/\0depth')), 'none'],
  ])('is classified when it %s', (_, file, expected) => expect(appleGainMapIn(file)).toBe(expected))

  it("Apple's gain map is found through the index of a photograph", () => {
    expect(readGainMap(findAppleGainMap(photograph(whole))!)).toEqual(readGainMap(whole))
    expect(findAppleGainMap(photograph(partial))).toBeUndefined()
    expect(photograph(whole).includes('hdr-gain-map')).toBe(false)
  })

  it('a truncated or damaged photograph is searched without an error', () => {
    const file = photograph(whole)
    for (let length = 0; length < file.length; length++) findAppleGainMap(file.subarray(0, length))
    for (let at = 0; at < file.length; at++)
      for (const byte of [0, 0xff]) findAppleGainMap(Buffer.from(file.map((was, i) => (i === at ? byte : was))))
  })
})
