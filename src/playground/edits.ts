import type { Gamut, Metadata, Point, RequestableFormat, Rgb } from '../core/image.ts'
import { cssPx, type Density } from '../core/units.ts'
import { type Edge, type Focus, MAX_CSS_PX, type Method, type Options, type Preset } from '../options/options.ts'

/** A change of the options by a switch. The result can always be printed as an option list. */
export type Edit = (options: Options) => Options

type Box = Extract<Options['resize'], { kind: 'box' }>

/** CSS px that a switch starts from when there is no size. Fits a web page. */
export const DEFAULT_SIDE = 800

const side = (px: number): ReturnType<typeof cssPx> =>
  cssPx(Math.min(MAX_CSS_PX, Math.max(1, Math.round(Number.isFinite(px) ? px : 1))))

const boxOf = (options: Options): Box =>
  options.resize.kind === 'box'
    ? options.resize
    : { kind: 'box', width: side(DEFAULT_SIDE), density: 1, method: { kind: 'scale-down' } }

const needsBoth = ({ kind }: Method): boolean => kind === 'crop' || kind === 'pad'

/** Adds the missing side of a box. A square shows the effect of a crop or pad best. */
const whole = (box: Box): Box => {
  const width = box.width ?? box.height ?? side(DEFAULT_SIDE)
  return { ...box, width, height: box.height ?? width }
}

export const setFull: Edit = (options) => ({ ...options, resize: { kind: 'full' } })

const setLossless: Edit = (options) => ({ ...setFull(options), quality: 'lossless' })

/** Sets the maximum CSS px of the sides. undefined: no limit. Without any side there is no resizing. */
export const setSides =
  (sides: { readonly width?: number | undefined; readonly height?: number | undefined }): Edit =>
  (options) => {
    if (sides.width === undefined && sides.height === undefined) return setFull(options)
    const { density, method } = boxOf(options)
    const box: Box = {
      kind: 'box',
      density,
      method,
      ...(sides.width === undefined ? {} : { width: side(sides.width) }),
      ...(sides.height === undefined ? {} : { height: side(sides.height) }),
    }
    return { ...options, resize: needsBoth(method) ? whole(box) : box }
  }

export const setDensity =
  (density: Density): Edit =>
  (options) => ({ ...options, resize: { ...boxOf(options), density } })

/** Sets the method. A crop or pad without a size gets a square one. */
export const setMethod =
  (method: Method): Edit =>
  (options) => {
    const box = { ...boxOf(options), method }
    return { ...options, resize: needsBoth(method) ? whole(box) : box }
  }

export const setFocus = (focus: Focus): Edit => setMethod({ kind: 'crop', focus })

export const setEdge = (edge: Edge): Edit => setFocus({ kind: 'edge', edge })

const fraction = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 100) / 100

/** Sets a focal point in whole per cent, the precision of a hand. */
export const setPoint = ({ x, y }: Point): Edit => setFocus({ kind: 'point', at: { x: fraction(x), y: fraction(y) } })

export const setTrim =
  (trim: boolean): Edit =>
  (options) => ({ ...options, trim })

export const setBackground =
  (background: Rgb | 'transparent'): Edit =>
  (options) => ({ ...options, background })

export const setQuality =
  (quality: Preset): Edit =>
  (options) =>
    quality === 'lossless' ? setLossless(options) : { ...options, quality }

export const setFormat =
  (format: RequestableFormat | 'auto'): Edit =>
  (options) => ({ ...options, format })

export const setGamut =
  (gamut: Gamut): Edit =>
  (options) => ({ ...options, gamut })

export const setMeta =
  (meta: Metadata): Edit =>
  (options) => ({ ...options, meta })

/** Sets the budget. undefined removes it. */
export const setMaxBytes =
  (maxBytes: number | undefined): Edit =>
  ({ maxBytes: _before, ...options }) =>
    maxBytes === undefined ? options : { ...options, maxBytes: Math.max(100, Math.round(maxBytes)) }

export const setTimeoutSeconds =
  (timeout: number): Edit =>
  (options) => ({ ...options, timeout })
