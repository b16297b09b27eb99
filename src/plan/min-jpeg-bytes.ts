import type { Extent } from '../core/image.ts'

const blocks = (length: number, side: number): number => Math.ceil(length / side)

/**
 * A lower bound for the bytes of any Huffman-coded JPEG of this size, with chroma at half size. The DC coefficient of each block takes at
 * least one bit (T.81, F.1.2.1: no code is shorter). A smaller file is smaller than every JPEG.
 */
export const minJpegBytes = ({ width, height }: Extent, grey: boolean): number => {
  const luma = blocks(width, 8) * blocks(height, 8)
  const chroma = grey ? 0 : 2 * blocks(width, 16) * blocks(height, 16)
  return Math.floor((luma + chroma) / 8)
}
