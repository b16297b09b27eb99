import type { Gamut, Metadata, RequestableFormat } from '../core/image.ts'
import type { Edge, Preset } from '../options/options.ts'

/** Options as an object, with the meanings of the option list (docs/options.md). All are optional. */
export interface ImageOptions {
  /** Maximum CSS pixels. Without width and height there is no resizing. */
  readonly width?: number
  readonly height?: number
  /** Device pixels per CSS pixel. */
  readonly density?: 1 | 2 | 3
  /** How the image is fitted into its size. Default: `scale-down`. */
  readonly method?: 'scale-down' | 'fit' | 'pad' | 'crop'
  /** The part that a crop keeps. Default: the middle. */
  readonly focus?: 'auto' | Edge | { readonly x: number; readonly y: number }
  /** Removes a border of solid colour first. */
  readonly trim?: boolean
  /** 3 or 6 hex digits, or `transparent`. */
  readonly background?: string
  readonly quality?: Preset
  /** Default: the best format. */
  readonly format?: RequestableFormat
  /** `p3` keeps colours outside of sRGB. */
  readonly gamut?: Gamut
  /** `copyright` keeps creator and rights holder. */
  readonly meta?: Metadata
  /** The best quality that fits into this number of bytes. */
  readonly maxBytes?: number
  /** Maximum seconds of work. */
  readonly timeout?: number
}

const sideItem = ({ width, height }: ImageOptions): string =>
  width === undefined && height === undefined ? 'full' : `${width ?? ''}${height === undefined ? '' : `x${height}`}`

const focusItem = (focus: ImageOptions['focus']): string => {
  if (focus === undefined) return 'crop'
  return typeof focus === 'string' ? `crop=${focus}` : `crop=${focus.x}x${focus.y}`
}

const methodItems = ({ method, focus }: ImageOptions): readonly string[] => {
  if (focus !== undefined || method === 'crop') return [focusItem(focus)]
  return method === undefined || method === 'scale-down' ? [] : [method]
}

/** The option list for these options. Invalid values are reported when the list is read. */
export const listOf = (options: ImageOptions): string =>
  [
    sideItem(options),
    ...(options.density === undefined ? [] : [`${options.density}x`]),
    ...methodItems(options),
    ...(options.trim === true ? ['trim=border'] : []),
    ...(options.background === undefined ? [] : [`bgcolor=${options.background}`]),
    ...(options.quality === undefined ? [] : [`quality=${options.quality}`]),
    ...(options.format === undefined ? [] : [`format=${options.format}`]),
    ...(options.gamut === undefined ? [] : [`gamut=${options.gamut}`]),
    ...(options.meta === undefined ? [] : [`meta=${options.meta}`]),
    ...(options.maxBytes === undefined ? [] : [`max-bytes=${options.maxBytes}`]),
    ...(options.timeout === undefined ? [] : [`timeout=${options.timeout}`]),
  ].join(',')
