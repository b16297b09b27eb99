import type { Orientation } from '../../core/image.ts'

/** What may stay in a source's own bytes (§3.5): the Orientation tag and a profile that is not sRGB. */
export interface Kept {
  readonly orientation: Orientation
  /** Keep the colour profile (and gamma, chromaticities) of the file. */
  readonly profile: boolean
}

/** A file without its metadata, piece by piece, so that whoever takes them can let others work in between. */
export type Pieces = Generator<Uint8Array, void, undefined>

/** Bytes as one character each. */
export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
