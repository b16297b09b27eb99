import type { Pixels } from '../core/image.ts'
import type { Axis } from '../plan/probe.ts'
import type { StillCodec } from './format.ts'
import { searchQuality } from './quality-search.ts'
import { fromPixels } from './raw.ts'

/** Median over the 20 photographs of the corpus; measured by `bench/curves.ts`. */
const AXIS: Axis = {
  min: 1,
  max: 100,
  step: 1,
  curve: [
    [20, 14],
    [30, 22],
    [45, 40],
    [55, 55],
    [70, 77],
    [80, 88],
    [85, 92],
    [90, 96],
  ],
}

/** 4:2:0 wins up to about 88 in score; from there chroma detail costs less than luma. */
const FULL_CHROMA_FROM = 94

const encode = (pixels: Pixels, quality: number): Promise<Uint8Array> =>
  fromPixels(pixels)
    .jpeg({
      quality,
      mozjpeg: true,
      quantisationTable: 5,
      chromaSubsampling: quality >= FULL_CHROMA_FROM ? '4:4:4' : '4:2:0',
    })
    .toBuffer()

export const jpeg: StillCodec = {
  format: 'jpeg',
  alpha: false,
  maxSide: 65500,
  search: (request) => searchQuality({ format: 'jpeg', axis: AXIS, encode }, request),
}
