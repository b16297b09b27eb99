import { expect, it } from 'vitest'
import { hasGainMap } from './gain-map.ts'

const segment = (marker: number, body: string): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, Buffer.from(body, 'latin1')])
}
const jpeg = (segments: readonly Buffer[], after = ''): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...segments,
    segment(0xda, 'scan'),
    Buffer.from(after.padEnd(20), 'latin1'),
  ])

const XMP = 'http://ns.adobe.com/xap/1.0/\0<x xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"/>'
const APPLE = 'urn:com:apple:photo:2020:aux:hdrgainmap'

it.each([
  ['Ultra HDR', jpeg([segment(0xe1, XMP)]), true],
  ['ISO 21496-1', jpeg([segment(0xe2, 'urn:iso:std:iso:ts:21496:-1\0')]), true],
  ['an Apple photograph', jpeg([segment(0xe2, 'MPF\0')], APPLE), true],
  ['the same words among the pixels', jpeg([], XMP + APPLE), false],
  ['a plain JPEG', jpeg([segment(0xe1, 'Exif\0\0')]), false],
  [
    'a segment that leads beyond the end',
    Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0]),
    false,
  ],
  ['next to nothing', Buffer.from([0xff, 0xd8]), false],
])('%s: %s', (_, file, expected) => expect(hasGainMap('jpeg', file)).toBe(expected))

it('HEIF by its items, JPEG XL by its box', () => {
  const boxes = (text: string) => Buffer.from(text.padStart(60, '-'), 'latin1')
  expect(hasGainMap('avif', boxes('iinf....infe....tmap'))).toBe(true)
  expect(hasGainMap('avif', boxes('iinf....infe....av01'))).toBe(false)
  expect(hasGainMap('heic', boxes(`auxC....${APPLE}`))).toBe(true)
  const container = Buffer.concat([Buffer.from([0, 0, 0, 12]), Buffer.from('JXL ....jhgm....', 'latin1')])
  expect(hasGainMap('jxl', container)).toBe(true)
})
