import { describe, expect, it } from 'vitest'
import { variantOf } from '../../packages/client/src/astro/variant-of.ts'
import { whittle } from '../../packages/client/src/client.ts'
import { applyVariant } from '../../packages/client/src/variant.ts'

const SOURCE = { width: 1900, height: 1580 }
const read = (transform: Omit<Parameters<typeof variantOf>[0], 'src'>, source: typeof SOURCE | null = SOURCE) =>
  applyVariant(
    whittle('http://e.com', 'a').url('x'),
    variantOf({ src: '', ...transform }, source ?? undefined),
  ).options()

describe('the options for Astro', () => {
  it.each([
    [{}, 'full'],
    [{ width: 800 }, '800'],
    [{ height: 600 }, 'x600'],
    // Astro computes the other side itself. A rounded height must not cost a pixel of width.
    [{ width: 801, height: 666, fit: 'cover' }, '801'],
    [{ width: 800, height: 300 }, '800x300'],
    [{ width: 800, height: 300, fit: 'contain' }, '800x300'],
    [{ width: 800, height: 300, fit: 'cover' }, '800x300,crop'],
    [{ width: 800, height: 300, fit: 'fill' }, '800x300,crop'],
    [{ width: 800, height: 300, fit: 'cover', position: 'auto' }, '800x300,crop=auto'],
    [{ width: 800, height: 300, fit: 'cover', position: 'attention' }, '800x300,crop=auto'],
    [{ width: 800, height: 300, fit: 'cover', position: 'top' }, '800x300,crop=top'],
    [{ width: 800, height: 300, fit: 'cover', position: 'left top' }, '800x300,crop=0x0'],
    [{ width: 800, height: 300, fit: 'cover', position: 'bottom right' }, '800x300,crop=1x1'],
    [{ width: 800, height: 300, fit: 'cover', position: '25% 75%' }, '800x300,crop=0.25x0.75'],
    [{ width: 800, height: 300, fit: 'cover', position: '0.25x0.75' }, '800x300,crop=0.25x0.75'],
    [{ width: 8, quality: 'mid', format: 'webp' }, '8,quality=medium,format=webp'],
    [{ width: 8, quality: 'max', format: 'jpg' }, '8,quality=high,format=jpeg'],
    [{ width: 8, quality: 90, format: 'avif' }, '8,quality=high,format=avif'],
    [{ width: 8, quality: '50', format: 'png' }, '8,quality=low,format=png'],
    [{ width: 8, quality: null, background: '#F60' }, '8,bgcolor=F60'],
    [{ format: 'svg' }, 'full'],
  ])('reads the transform %j', (transform, list) => expect(read(transform)).toBe(list))

  it("resizes to a box if the source's size is unknown", () => {
    expect(read({ width: 801, height: 666 }, null)).toBe('801x666')
  })

  it.each([
    [{ quality: 'best' }, 'expected low, medium, high, lossless, or a number'],
    [{ quality: 0 }, undefined],
    [{ quality: 'constructor' }, 'expected low, medium'],
    [{ quality: 101 }, 'expected low, medium'],
    [{ format: 'bmp' }, 'expected png, jpeg'],
    [{ background: 'red' }, 'expected #rgb'],
    [{ width: 9, height: 99, fit: 'cover', position: 'upwards' }, 'expected auto, top'],
    [{ width: 9, height: 99, fit: 'cover', position: '25% 175%' }, 'expected auto, top'],
    [{ width: 9, height: 99, fit: 'contain', position: 'upwards' }, undefined],
  ])('%j is refused with the accepted values', (transform, expected) => {
    if (expected === undefined) expect(() => read(transform)).not.toThrow()
    else expect(() => read(transform)).toThrow(expected)
  })
})
