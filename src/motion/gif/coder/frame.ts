import type { Extent } from '../../../core/image.ts'

/** Coordinates of a colour where distance is about what the eye sees: luma and two chromas. */
export const COORDINATES = 3

/** Whether a pixel may leave what is there. */
export const LEAVE = { NEVER: 0, MAY: 1, MUST: 2 } as const

/** A rectangle of pixels that is to be coded, row after row. */
export interface CodableFrame extends Extent {
  /** By pixel the point of the colour that it should have. */
  readonly wanted: Float32Array
  /** By pixel the point of the colour that is there. */
  readonly shown: Float32Array
  /** By pixel one of {@link LEAVE}. */
  readonly leave: Uint8Array
  /** By pixel, how much its squared error counts. */
  readonly weights: Float32Array
  /** The points of the colours that it may be given, by rising luma. */
  readonly colours: Float32Array
}

/** What codes of a frame may lose. */
export interface Loss {
  /** Weighted squared error that one bit is worth; 0 where nothing may be lost. */
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
  /** By pixel the number of its colour; one past the last where it leaves what is there. */
  readonly symbols: Uint16Array
}
