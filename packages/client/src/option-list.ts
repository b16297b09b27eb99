/** The text form of options: `800x600,2x,crop=auto,quality=high`. */
import type { Edge } from './tables.ts'
import type { FocalPoint, ImageRequest } from './types.ts'

/** The item of each given option, such as `quality=high`. */
export interface OptionItems {
  readonly preset?: string
  readonly size?: string
  readonly density?: string
  readonly method?: string
  readonly trim?: string
  readonly background?: string
  readonly quality?: string
  readonly format?: string
  readonly gamut?: string
  readonly meta?: string
  readonly maxBytes?: string
  readonly timeout?: string
}

const ORDER = [
  'preset',
  'size',
  'density',
  'method',
  'trim',
  'background',
  'quality',
  'format',
  'gamut',
  'meta',
  'maxBytes',
  'timeout',
] as const

/** Joins items to an option list. The list names the size `full` if it has neither a size nor a preset. */
export const optionList = (items: OptionItems): string =>
  ORDER.flatMap((name) =>
    name === 'size' ? (items.size ?? (items.preset === undefined ? 'full' : [])) : (items[name] ?? []),
  ).join(',')

/** Adds the time from which on a signature is invalid, in whole seconds since 1970. */
export const withExpiry = (list: string, until: Date | undefined): string =>
  until === undefined ? list : `${list},exp=${Math.ceil(until.getTime() / 1000)}`

const cropItem = (focus: 'centre' | 'auto' | Edge | FocalPoint): string => {
  if (typeof focus === 'object') return `crop=${focus.x}x${focus.y}`
  return focus === 'centre' ? 'crop' : `crop=${focus}`
}

const sizeItem = (width?: number, height?: number): string =>
  width === undefined && height === undefined ? 'full' : `${width ?? ''}${height === undefined ? '' : `x${height}`}`

/** Returns the size item for another width: a box keeps its aspect ratio, any other size becomes the width alone. */
export const sizeAtWidth = (size: string | undefined, width: number): string => {
  const [, boxWidth, boxHeight] = /^(\d+)x(\d+)$/.exec(size ?? '') ?? []
  if (boxWidth === undefined || boxHeight === undefined) return `${width}`
  return `${width}x${Math.max(1, Math.round((width * Number(boxHeight)) / Number(boxWidth)))}`
}

type OptionMethods = Pick<
  ImageRequest,
  | 'resize'
  | 'density'
  | 'fit'
  | 'crop'
  | 'pad'
  | 'trim'
  | 'background'
  | 'quality'
  | 'format'
  | 'wideGamut'
  | 'keepCopyright'
  | 'maxBytes'
  | 'preset'
  | 'timeout'
>

/** The methods of a request that set an option. Each passes its items to `add`, which returns the new request. */
export const optionMethods = (add: (items: OptionItems) => ImageRequest): OptionMethods => ({
  resize: (width, height) => add({ size: sizeItem(width, height) }),
  density: (density) => add({ density: `${density}x` }),
  fit: () => add({ method: 'fit' }),
  crop: (focus = 'centre') => add({ method: cropItem(focus) }),
  pad: (background) =>
    add({ method: 'pad', ...(background === undefined ? {} : { background: `bgcolor=${background}` }) }),
  trim: () => add({ trim: 'trim=border' }),
  background: (colour) => add({ background: `bgcolor=${colour}` }),
  quality: (quality) => add({ quality: `quality=${quality}` }),
  format: (format) => add({ format: `format=${format}` }),
  wideGamut: () => add({ gamut: 'gamut=p3' }),
  keepCopyright: () => add({ meta: 'meta=copyright' }),
  maxBytes: (bytes) => add({ maxBytes: `max-bytes=${bytes}` }),
  preset: (name) => add({ preset: `preset=${name}` }),
  timeout: (seconds) => add({ timeout: `timeout=${seconds}` }),
})
