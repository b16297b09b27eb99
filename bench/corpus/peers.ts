import type { Raster } from '../../src/core/image.ts'
import { oxipng } from '../../src/formats/oxipng.ts'
import { fromPixels } from '../../src/raster/raw.ts'

/** Another way to make a file of the same pixels. */
export interface Peer {
  readonly name: string
  readonly encode: (pixels: Raster, quality: number) => Promise<Uint8Array>
  /** Its default quality. */
  readonly usual: number
}

/** The best JPEG that sharp makes. */
export const MOZJPEG: Peer = {
  name: 'sharp mozjpeg',
  usual: 80,
  encode: (pixels, quality) => fromPixels(pixels).jpeg({ quality, mozjpeg: true }).toBuffer(),
}

/** JPEG as other image servers make it. Next.js 15 sets mozjpeg and quality 75; IPX 3 sets progressive alone, on sharp's 80. */
export const PHOTO_PEERS: readonly Peer[] = [
  { name: 'sharp', usual: 80, encode: (pixels, quality) => fromPixels(pixels).jpeg({ quality }).toBuffer() },
  MOZJPEG,
  { ...MOZJPEG, name: 'Next.js', usual: 75 },
  {
    name: 'IPX',
    usual: 80,
    encode: (pixels, quality) => fromPixels(pixels).jpeg({ quality, progressive: true }).toBuffer(),
  },
]

/** PNG as other tools make it: oxipng keeps every pixel, the others quantise to at most 256 colours through libimagequant. */
export const GRAPHIC_PEERS: readonly Peer[] = [
  { name: 'sharp', usual: 100, encode: (pixels) => fromPixels(pixels).png().toBuffer() },
  {
    name: 'oxipng 4',
    usual: 100,
    encode: async (pixels) => oxipng(await fromPixels(pixels).png().toBuffer(), 4, true),
  },
  {
    name: 'sharp palette',
    usual: 80,
    encode: (pixels, quality) => fromPixels(pixels).png({ palette: true, quality, effort: 7 }).toBuffer(),
  },
  {
    name: 'pngquant + oxipng',
    usual: 95,
    encode: async (pixels, quality) =>
      oxipng(await fromPixels(pixels).png({ palette: true, quality, effort: 8 }).toBuffer(), 2, true),
  },
  { name: 'Next.js', usual: 75, encode: (pixels, quality) => fromPixels(pixels).png({ quality }).toBuffer() },
]
