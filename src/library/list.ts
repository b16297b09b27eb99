import type { Gamut, RequestableFormat } from '../core/image.ts'
import type { Edge, Preset } from '../options/options.ts'

/** What is wanted of an image, in the terms of the option list (docs/options.md); everything is optional. */
export interface ImageOptions {
  /** Most CSS pixels; without any side there is no resizing. */
  readonly width?: number
  readonly height?: number
  /** Device pixels per CSS pixel. */
  readonly density?: 1 | 2 | 3
  /** How the image is brought into its size; `scale-down` unless given. */
  readonly method?: 'scale-down' | 'fit' | 'pad' | 'crop'
  /** What a crop keeps: the middle unless given. */
  readonly focus?: 'auto' | Edge | { readonly x: number; readonly y: number }
  /** Removes a border of solid colour first. */
  readonly trim?: boolean
  /** 3 or 6 hex digits, or `transparent`. */
  readonly background?: string
  readonly quality?: Preset
  /** The best one unless given. */
  readonly format?: RequestableFormat
  /** `p3` keeps colours that are wider than sRGB. */
  readonly gamut?: Gamut
  /** Most seconds of work. */
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

/** The option list that asks for these options. What is wrong with them is said where the list is read. */
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
    ...(options.timeout === undefined ? [] : [`timeout=${options.timeout}`]),
  ].join(',')
