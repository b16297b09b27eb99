import type { Orientation } from '../../core/image.ts'

/** Data that may stay in a source's own bytes (§3.5): the orientation, and a profile other than sRGB. */
export interface Kept {
  readonly orientation: Orientation
  /** Whether to keep the colour profile (and gamma, chromaticities). */
  readonly profile: boolean
}

/** A file without its metadata, in pieces, so that the caller can yield to other work in between. */
export type Pieces = Generator<Uint8Array, void, undefined>

/** Bytes as characters of Latin-1. */
export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
