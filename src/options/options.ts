import type { Gamut, Point, RequestableFormat, Rgb } from '../core/image.ts'
import type { CssPx, Density } from '../core/units.ts'

/** A quality preset (§3.1); what it means is in plan/targets. */
export const PRESETS = ['low', 'medium', 'high', 'lossless'] as const
export type Preset = (typeof PRESETS)[number]

export const EDGES = ['top', 'left', 'right', 'bottom'] as const
export type Edge = (typeof EDGES)[number]

/** What a crop keeps (§2). */
export type Focus =
  | { readonly kind: 'centre' }
  | { readonly kind: 'auto' }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'point'; readonly at: Point }

/** How an image is brought into its box (§2). `crop` and `pad` have both sides. */
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

/** The option list as read: complete, contradiction-free, frozen. */
export interface Options {
  readonly resize: Resize
  readonly trim: boolean
  /** Padding and flattening colour; `transparent` pads with transparency. */
  readonly background: Rgb | 'transparent'
  readonly quality: Preset
  readonly format: RequestableFormat | 'auto'
  /** The widest colours that the result may have. */
  readonly gamut: Gamut
  /** Seconds, > 0, at most the server's maximum (§2). No part of a result's identity. */
  readonly timeout: number
}

/** Most CSS pixels a side that can be asked for (§2.2: larger ones are clamped). */
export const MOST_CSS_PX = 10000
/** What padding and flattening use unless `bgcolor` is given. */
export const WHITE: Rgb = { r: 255, g: 255, b: 255 }
/** Seconds of `timeout` unless given, or the server's maximum when that is less. */
export const DEFAULT_TIMEOUT = 30

/** What the server allows, in seconds. `defaultTimeout` is {@link DEFAULT_TIMEOUT} unless given. */
export interface OptionLimits {
  readonly maxTimeout: number
  readonly defaultTimeout?: number
}
