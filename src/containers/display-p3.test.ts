import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { asDisplayP3, DISPLAY_P3_PROFILE } from './display-p3.ts'

const [width, height] = [33, 20]
const noise = (channels: 3 | 4) =>
  sharp(
    Uint8Array.from({ length: width * height * channels }, (_, i) => (i * 7919) % 251),
    { raw: { width, height, channels } },
  )
const FILES = {
  jpeg: () => noise(3).jpeg({ quality: 90 }),
  png: () => noise(4).png(),
  'PNG with a palette': () => noise(4).png({ palette: true }),
  webp: () => noise(3).webp({ quality: 90 }),
  'WebP with alpha': () => noise(4).webp({ quality: 90 }),
  'lossless WebP': () => noise(3).webp({ lossless: true }),
  'lossless WebP with alpha': () => noise(4).webp({ lossless: true }),
  avif: () => noise(3).avif({ effort: 0 }),
  'AVIF with alpha': () => noise(4).avif({ effort: 0, bitdepth: 10 }),
  'lossless AVIF': () => noise(3).avif({ lossless: true, effort: 0 }),
} as const

const formatOf = (name: string) => /jpeg|png|webp|avif/i.exec(name)![0].toLowerCase() as 'png'

/** Samples as stored, without colour conversion. */
const stored = (file: Uint8Array): Promise<Buffer> => sharp(file, { ignoreIcc: true }).raw().toBuffer()

describe('the mark of Display P3', () => {
  it.each(Object.entries(FILES))('labels %s as Display P3 without changing samples', async (name, make) => {
    const plain = await make().toBuffer()
    const marked = asDisplayP3(formatOf(name), plain)
    expect((await stored(marked)).equals(await stored(plain))).toBe(true)
    const { icc, hasAlpha } = await sharp(marked).metadata()
    expect(hasAlpha).toBe((await sharp(plain).metadata()).hasAlpha)
    if (formatOf(name) === ('avif' as string)) expect(marked.length - plain.length).toBeLessThanOrEqual(20)
    else expect(icc?.equals(DISPLAY_P3_PROFILE)).toBe(true)
  })

  it('refuses to label a GIF', async () => {
    const gif = await noise(3).gif().toBuffer()
    expect(() => asDisplayP3('gif', gif)).toThrow('No Display P3 in gif')
  })
})
