import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { orientationTiff } from './exif.ts'
import { gifBlocksStart, readGifBlocks } from './gif.ts'
import { isApplication, isFrameMarker, isStandalone, JPEG_MARKER, writeJpegSegment } from './jpeg.ts'
import { readRiffChunks, writeRiffChunk } from './riff.ts'

describe('markers of JPEG', () => {
  const all = Array.from({ length: 255 }, (_, marker) => marker)
  const hex = (markers: readonly number[]) => markers.map((marker) => marker.toString(16)).join(' ')

  it('detects markers that start a frame', () =>
    expect(hex(all.filter(isFrameMarker))).toBe('c0 c1 c2 c3 c5 c6 c7 c9 ca cb cd ce cf'))
  it('detects markers without a length', () =>
    expect(hex(all.filter(isStandalone))).toBe('0 1 d0 d1 d2 d3 d4 d5 d6 d7 d8'))
  it('detects markers of application data', () => expect(all.filter(isApplication)).toHaveLength(16))

  it("a segment's length includes itself", () =>
    expect([...writeJpegSegment(JPEG_MARKER.COM, new Uint8Array(300))].slice(0, 5)).toEqual([0xff, 0xfe, 1, 46, 0]))
})

describe('a block of Exif', () => {
  it('an Exif block has the orientation in one big-endian directory', () => {
    const tiff = Buffer.from(orientationTiff(6))
    expect([tiff.toString('latin1', 0, 2), tiff.readUInt16BE(8), tiff.readUInt16BE(10), tiff.readUInt16BE(18)]).toEqual(
      ['MM', 1, 0x112, 6],
    )
  })
})

describe('chunks of RIFF', () => {
  const file = (...chunks: readonly Uint8Array[]) => Buffer.concat([Buffer.from('RIFF....WEBP'), ...chunks])

  it('RIFF chunks are read as written, with padding', () => {
    const chunks = [writeRiffChunk('VP8 ', Buffer.from('abc')), writeRiffChunk('EXIF', Buffer.from('de'))]
    const read = [...readRiffChunks(file(...chunks))]
    expect(read.map(({ type, offset, whole }) => [type, offset, whole.length])).toEqual([
      ['VP8 ', 12, 12],
      ['EXIF', 24, 10],
    ])
    expect(read.map(({ whole }) => whole)).toEqual(chunks)
  })

  it('RIFF chunks end with the file', () => {
    const cut = file(writeRiffChunk('VP8 ', Buffer.alloc(100))).subarray(0, 50)
    expect([...readRiffChunks(cut)].map(({ whole }) => whole.length)).toEqual([38])
  })

  it('RIFF chunks of any bytes lie in the file in sequence', () =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const read = [...readRiffChunks(bytes)]
        for (const [at, { offset }] of read.entries())
          expect(offset).toBe(at === 0 ? 12 : read[at - 1]!.offset + read[at - 1]!.whole.length)
      }),
    ))
})

describe('blocks of GIF', () => {
  const header = [...Buffer.from('GIF89a', 'latin1'), 1, 0, 1, 0, 0x80, 0, 0]
  const table = [0, 0, 0, 255, 255, 255]
  const control = [0x21, 0xf9, 4, 0, 10, 0, 0, 0]
  const image = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4c, 1, 0]

  it('GIF blocks begin after the header and its colour table', () =>
    expect(gifBlocksStart(Uint8Array.from([...header, ...table]))).toBe(19))

  it('GIF blocks are extensions and images up to the trailer', () => {
    const gif = Uint8Array.from([...header, ...table, ...control, 0, ...image, 0x3b, ...image])
    expect([...readGifBlocks(gif)].map(({ kind, label, whole }) => [kind, label, whole.length])).toEqual([
      ['extension', 0xf9, 8],
      ['image', 0, 15],
    ])
  })

  it('GIF blocks of any bytes lie in the file', () =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const gif = Uint8Array.from([...header, ...table, ...bytes])
        const length = [...readGifBlocks(gif)].reduce((sum, { whole }) => sum + whole.length, 0)
        expect(length).toBeLessThanOrEqual(bytes.length)
      }),
    ))
})
