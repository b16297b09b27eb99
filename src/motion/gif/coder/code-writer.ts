import { GIF } from '../../../core/gif-numbers.ts'

/** Packs codes, the lowest bits first. */
export interface CodeWriter {
  readonly put: (code: number, bits: number) => void
  /** The written codes, padded to whole bytes. */
  readonly finish: () => Uint8Array
}

/** Opens a writer of at most one code per pixel, and a few more. */
export const openCodeWriter = (pixels: number): CodeWriter => {
  // One code of 254 clears at most.
  const bytes = new Uint8Array(Math.ceil(((pixels + 16) * 1.01 * GIF.maxCodeBits) / 8))
  let at = 0
  let held = 0
  let waiting = 0
  return {
    put: (code, bits) => {
      held |= code << waiting
      waiting += bits
      while (waiting >= 8) {
        bytes[at++] = held & 0xff
        held >>>= 8
        waiting -= 8
      }
    },
    finish: () => {
      if (waiting > 0) bytes[at++] = held & 0xff
      return bytes.subarray(0, at)
    },
  }
}
