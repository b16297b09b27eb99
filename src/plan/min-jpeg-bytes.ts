import type { Extent } from '../core/image.ts'

const blocks = (length: number, side: number): number => Math.ceil(length / side)

/**
 * A lower bound for the bytes of any Huffman-coded JPEG of this size: one bit for the DC coefficient of each block (T.81, F.1.2.1: no
 * code is shorter), with chroma at half size. A smaller file is smaller than every JPEG.
 */
export const minJpegBytes = ({ width, height }: Extent, grey: boolean): number => {
  const luma = blocks(width, 8) * blocks(height, 8)
  const chroma = grey ? 0 : 2 * blocks(width, 16) * blocks(height, 16)
  return Math.floor((luma + chroma) / 8)
}
