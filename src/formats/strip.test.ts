import { describe, expect, it } from 'vitest'
import { stripGif, stripJpeg, stripPng } from './strip.ts'

const bytes = (...parts: (string | readonly number[] | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))

describe('stripGif', () => {
  const head = bytes('GIF89a', [1, 0, 1, 0, 0x80, 0, 0], [0, 0, 0, 255, 255, 255])
  const loop = bytes([0x21, 0xff, 11], 'NETSCAPE2.0', [3, 1, 0, 0, 0])
  const comment = bytes([0x21, 0xfe, 6], 'secret', [0])
  const xmp = bytes([0x21, 0xff, 11], 'XMP DataXMP', [4], 'GPS!', [0])
  const frame = bytes([0x21, 0xf9, 4, 0, 10, 0, 0, 0], [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0], [2, 2, 0x44, 1, 0])

  it('keeps the loop count and the frames, and drops comments and foreign blocks', () => {
    const stripped = Buffer.from(stripGif(bytes(head, loop, comment, frame, xmp, frame, [0x3b], 'trailing')))
    expect(stripped.equals(bytes(head, loop, frame, frame, [0x3b]))).toBe(true)
  })
  it('ends on a file that is cut anywhere', () => {
    const whole = bytes(head, loop, comment, frame, [0x3b])
    for (let length = 0; length < whole.length; length += 1) stripGif(whole.subarray(0, length))
  })
})

describe('stripJpeg', () => {
  const jfif = bytes([0xff, 0xe0, 0, 7], 'JFIF', [0])
  const exif = bytes([0xff, 0xe1, 0, 10], 'Exif', [0, 0, 1, 2])
  const icc = bytes([0xff, 0xe2, 0, 16], 'ICC_PROFILE', [0, 1, 1])
  const rest = bytes([0xff, 0xda, 0, 2], 'scan', [0xff, 0xd9])
  it('drops Exif, keeps what decides the colours, and the profile only when asked to', () => {
    const jpeg = bytes([0xff, 0xd8], jfif, exif, icc, rest)
    expect(
      Buffer.from(stripJpeg(jpeg, { orientation: 1, profile: false })).equals(bytes([0xff, 0xd8], jfif, rest)),
    ).toBe(true)
    expect(Buffer.from(stripJpeg(jpeg, { orientation: 1, profile: true })).includes('ICC_PROFILE')).toBe(true)
  })
  it('keeps the orientation alone of the Exif data', () => {
    const kept = Buffer.from(stripJpeg(bytes([0xff, 0xd8], exif, rest), { orientation: 6, profile: false }))
    expect(kept.includes('Exif')).toBe(true)
    expect(kept[2 + 10 + 19]).toBe(6)
  })
})

describe('stripPng', () => {
  const chunk = (type: string, data = ''): Buffer => bytes([0, 0, 0, data.length], type, data, [1, 2, 3, 4])
  const signature = bytes([0x89], 'PNG\r\n', [0x1a, 0x0a])
  it('keeps what pixels need and drops the rest', () => {
    const png = bytes(
      signature,
      chunk('IHDR'),
      chunk('tEXt', 'secret'),
      chunk('iCCP', 'p'),
      chunk('IDAT', 'x'),
      chunk('IEND'),
      'more',
    )
    const bare = bytes(signature, chunk('IHDR'), chunk('IDAT', 'x'), chunk('IEND'))
    expect(Buffer.from(stripPng(png, { orientation: 1, profile: false })).equals(bare)).toBe(true)
    expect(Buffer.from(stripPng(png, { orientation: 1, profile: true })).includes('iCCP')).toBe(true)
  })
})
