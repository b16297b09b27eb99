import type { Gamut, Metadata, Point, RequestableFormat, Rgb } from '../core/image.ts'
import { cssPx, type Density } from '../core/units.ts'
import { type Edge, type Focus, MAX_CSS_PX, type Method, type Options, type Preset } from '../options/options.ts'

/** A change of the options by a switch. Every result can be printed as an option list. */
export type Edit = (options: Options) => Options

type Box = Extract<Options['resize'], { kind: 'box' }>

/** Initial side of a size in CSS px. Fits a web page. Chosen, not measured. */
export const DEFAULT_SIDE = 800

const side = (px: number): ReturnType<typeof cssPx> =>
  cssPx(Math.min(MAX_CSS_PX, Math.max(1, Math.round(Number.isFinite(px) ? px : 1))))

const boxOf = (options: Options): Box =>
  options.resize.kind === 'box'
    ? options.resize
    : { kind: 'box', width: side(DEFAULT_SIDE), density: 1, method: { kind: 'scale-down' } }

const needsBothSides = ({ kind }: Method): boolean => kind === 'crop' || kind === 'pad'

/** Adds the missing side of a box. A square shows the effect of a crop or pad best. */
const withBothSides = (box: Box): Box => {
  const width = box.width ?? box.height ?? side(DEFAULT_SIDE)
  return { ...box, width, height: box.height ?? width }
}

/** Removes the size. */
export const setFull: Edit = (options) => ({ ...options, resize: { kind: 'full' } })

const setLossless: Edit = (options) => ({ ...setFull(options), quality: 'lossless' })

/** Sets the largest width and height in CSS px. `undefined` removes a limit. Without any side it removes the size. */
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
    return { ...options, resize: needsBothSides(method) ? withBothSides(box) : box }
  }

/** Sets the density. Adds a size if there is none. */
export const setDensity =
  (density: Density): Edit =>
  (options) => ({ ...options, resize: { ...boxOf(options), density } })

/** Sets the method. Adds a square size to a crop or pad without a size. */
export const setMethod =
  (method: Method): Edit =>
  (options) => {
    const box = { ...boxOf(options), method }
    return { ...options, resize: needsBothSides(method) ? withBothSides(box) : box }
  }

/** Sets a crop with this focus. */
export const setFocus = (focus: Focus): Edit => setMethod({ kind: 'crop', focus })

/** Sets a crop that keeps this edge. */
export const setEdge = (edge: Edge): Edit => setFocus({ kind: 'edge', edge })

const fraction = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 100) / 100

/** Sets a crop around a focal point, rounded to whole per cent. */
export const setPoint = ({ x, y }: Point): Edit => setFocus({ kind: 'point', at: { x: fraction(x), y: fraction(y) } })

/** Sets whether a border is trimmed. */
export const setTrim =
  (trim: boolean): Edit =>
  (options) => ({ ...options, trim })

/** Sets the background. */
export const setBackground =
  (background: Rgb | 'transparent'): Edit =>
  (options) => ({ ...options, background })

/** Sets the preset. `lossless` also removes the size. */
export const setQuality =
  (quality: Preset): Edit =>
  (options) =>
    quality === 'lossless' ? setLossless(options) : { ...options, quality }

/** Sets the format. */
export const setFormat =
  (format: RequestableFormat | 'auto'): Edit =>
  (options) => ({ ...options, format })

/** Sets the gamut. */
export const setGamut =
  (gamut: Gamut): Edit =>
  (options) => ({ ...options, gamut })

/** Sets the metadata to keep. */
export const setMeta =
  (meta: Metadata): Edit =>
  (options) => ({ ...options, meta })

/** Sets the limit of the file size in bytes, at least 100. `undefined` removes it. */
export const setMaxBytes =
  (maxBytes: number | undefined): Edit =>
  ({ maxBytes: _before, ...options }) =>
    maxBytes === undefined ? options : { ...options, maxBytes: Math.max(100, Math.round(maxBytes)) }

/** Sets the timeout in seconds. */
export const setTimeoutSeconds =
  (timeout: number): Edit =>
  (options) => ({ ...options, timeout })
