import type { Gamut, Metadata, Point, RequestableFormat, Rgb } from '../core/image.ts'
import type { CssPx, Density } from '../core/units.ts'

/** A quality preset (§3.1). plan/targets has its bounds. */
export const PRESETS = ['low', 'medium', 'high', 'lossless'] as const
export type Preset = (typeof PRESETS)[number]

export const EDGES = ['top', 'left', 'right', 'bottom'] as const
export type Edge = (typeof EDGES)[number]

/** The part of the image that a crop keeps (§2). */
export type Focus =
  | { readonly kind: 'centre' }
  | { readonly kind: 'auto' }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'point'; readonly at: Point }

/** How an image is fitted into its box (§2). `crop` and `pad` have both sides. */
export type Method =
  | { readonly kind: 'scale-down' }
  | { readonly kind: 'fit' }
  | { readonly kind: 'pad' }
  | { readonly kind: 'crop'; readonly focus: Focus }

export type Resize =
  | { readonly kind: 'full' }
  | {
      readonly kind: 'box'
      /** At least one side is given; `crop` and `pad` have both. 1..10000. */
      readonly width?: CssPx
      readonly height?: CssPx
      readonly density: Density
      readonly method: Method
    }

/** A parsed option list: complete, without contradictions, frozen. */
export interface Options {
  readonly resize: Resize
  readonly trim: boolean
  /** Colour for padding and flattening. `transparent` pads with transparency. */
  readonly background: Rgb | 'transparent'
  readonly quality: Preset
  readonly format: RequestableFormat | 'auto'
  /** The widest gamut of the result. */
  readonly gamut: Gamut
  readonly meta: Metadata
  /** Maximum bytes of the result. Absent: no limit. */
  readonly maxBytes?: number
  /** Seconds, > 0, at most the server's maximum (§2). Not part of a result's identity. */
  readonly timeout: number
}

/** Maximum CSS pixels of a side. Larger sides are clamped (§2.2). */
export const MAX_CSS_PX = 10000
/** Default colour for padding and flattening. */
export const WHITE: Rgb = { r: 255, g: 255, b: 255 }
/** Default seconds of `timeout`, or the server's maximum when that is lower. */
export const DEFAULT_TIMEOUT = 30

/** The server's limits in seconds, and its defaults. Without them {@link DEFAULT_TIMEOUT} and `none` apply. */
export interface OptionLimits {
  readonly maxTimeout: number
  readonly defaultTimeout?: number
  readonly defaultMeta?: Metadata
  /** Option lists by the account's preset names. */
  readonly presets?: ReadonlyMap<string, string>
}
