import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ResultMark } from '../../core/image.ts'
import { readMark, withMark } from './mark.ts'

const FORMATS = ['jpeg', 'png', 'gif', 'webp', 'avif'] as const
type Format = (typeof FORMATS)[number]
const MARK: ResultMark = { level: 'medium', density: 2, loss: 29.5, distance: 1.42 }

const files = new Map<Format, Uint8Array>()
const noise = Buffer.from(Array.from({ length: 40 * 30 * 3 }, (_, i) => (i * 7919) % 251))
beforeAll(async () => {
  for (const format of FORMATS)
    files.set(
      format,
      await sharp(noise, { raw: { width: 40, height: 30, channels: 3 } })
        .toFormat(format)
        .toBuffer(),
    )
})

const read = (format: Format, file: Uint8Array) => {
  const bytes = Buffer.from(file)
  return readMark(format, { size: bytes.length, at: async (offset, length) => bytes.subarray(offset, offset + length) })
}
const pixels = (file: Uint8Array): Promise<Buffer> => sharp(file).raw().toBuffer()

describe.each(FORMATS)('the mark of a %s', (format) => {
  it('a mark is read back, takes at most 17 bytes and changes no pixel', async () => {
    const file = files.get(format)!
    const marked = withMark(format, file, MARK)
    expect(await read(format, marked)).toEqual(MARK)
    expect(marked.length - file.length).toBeLessThanOrEqual(17)
    expect((await pixels(marked)).equals(await pixels(file))).toBe(true)
  })
  it('a mark replaces an older one, and can be removed completely', async () => {
    const file = files.get(format)!
    const again = withMark(format, withMark(format, file, { ...MARK, level: 'high' }), MARK)
    expect(Buffer.from(again).equals(withMark(format, file, MARK))).toBe(true)
    expect(Buffer.from(withMark(format, again, undefined)).equals(file)).toBe(true)
  })
  it('a mark in a file of other pixels is ignored', async () => {
    const marked = Buffer.from(withMark(format, files.get(format)!, MARK))
    const other = await sharp(noise, { raw: { width: 30, height: 40, channels: 3 } })
      .toFormat(format)
      .toBuffer()
    const forged = Buffer.from(withMark(format, other, MARK))
    const moved = Buffer.concat([forged])
    // The checksum is that of the other file.
    const payload = moved.indexOf(format === 'png' ? 'whIT' : format === 'webp' ? 'WHIT' : 'Wh')
    const source = marked.indexOf(format === 'png' ? 'whIT' : format === 'webp' ? 'WHIT' : 'Wh')
    const name = format === 'png' ? 4 : format === 'webp' ? 8 : 2
    marked.copy(moved, payload + name, source + name, source + name + 5)
    expect(await read(format, forged)).toEqual(MARK)
    expect(await read(format, moved)).toBeUndefined()
  })
  it('a truncated file has no mark', async () => {
    const marked = withMark(format, files.get(format)!, MARK)
    for (let length = 0; length < Math.min(400, marked.length); length += 1)
      await read(format, marked.subarray(0, length))
    if (format !== 'jpeg') expect(await read(format, marked.subarray(0, -1))).toBeUndefined()
  })
})

it('rounds losses up and clamps those beyond its range', async () => {
  const marked = withMark('jpeg', files.get('jpeg')!, { level: 'low', density: 1, loss: 300, distance: 0.011 })
  expect(await read('jpeg', marked)).toEqual({ level: 'low', density: 1, loss: 127.5, distance: 0.02 })
})
