import type { Extent } from '../../../core/image.ts'

/** Coordinates of a colour where distance is about what the eye sees: luma and two chromas. */
export const COORDINATES = 3

/** All frames of an animation by their colours. */
export interface CodableAnimation extends Extent {
  readonly frames: number
  /** RGBA, four bytes each, either opaque or fully transparent. */
  readonly colours: Uint8Array
  /** For each pixel of all frames the number of its colour. */
  readonly entries: Uint16Array
}

/** Limits of a frame's losses. */
export interface Loss {
  /** Weighted squared error that one bit is worth; 0 for lossless. */
  readonly perBit: number
  /** The most weighted squared error of a pixel. */
  readonly most: number
}

export const LOSSLESS: Loss = { perBit: 0, most: 0 }

/** A frame as codes. */
export interface CodedFrame {
  readonly codeSize: number
  /** Packed, not yet cut into blocks. */
  readonly codes: Uint8Array
}
