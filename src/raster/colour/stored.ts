import type { CodePoints, Extent } from '../../core/image.ts'

/** Colour encoding of samples in a file. */
export type StoredColours =
  | { readonly kind: 'srgb' }
  | { readonly kind: 'profile'; readonly icc: Uint8Array }
  | { readonly kind: 'codePoints'; readonly codePoints: CodePoints }

/** Upright RGB or straight RGBA as stored, before colour conversion: 8 or 16 bits, full range. */
export interface StoredImage extends Extent {
  readonly channels: 3 | 4
  readonly data: Uint8Array | Uint16Array
  readonly colours: StoredColours
  /** The file ends early. Missing pixels are black or transparent. */
  readonly truncated?: boolean
}
