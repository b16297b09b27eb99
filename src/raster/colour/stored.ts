import type { CodePoints, Extent } from '../../core/image.ts'

/** Colours of samples as a file stores them. */
export type StoredColours =
  | { readonly kind: 'srgb' }
  | { readonly kind: 'profile'; readonly icc: Uint8Array }
  | { readonly kind: 'codePoints'; readonly codePoints: CodePoints }

/** Upright RGB or RGBA (straight) as a file stores it, before its colours are converted: 8 or 16 bits of full range. */
export interface StoredImage extends Extent {
  readonly channels: 3 | 4
  readonly data: Uint8Array | Uint16Array
  readonly colours: StoredColours
  /** Less was there than the file claims; what is missing is black or transparent. */
  readonly truncated?: boolean
}
