import { readFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import type { Box, Extent } from '../../src/core/image.ts'
import type { Options } from '../../src/options/options.ts'

/** A decoded image, RGBA. */
export interface Picture extends Extent {
  readonly data: Buffer
  readonly channels: 4
}

/** Facts of an image from sharp, without the service. */
export interface Seen extends Extent {
  readonly format: string
  readonly profile: boolean
  /** An animated PNG: sharp reads its default image, which need not be one of its frames. */
  readonly apng: boolean
  /** Milliseconds that one play takes in a browser; absent for stills. */
  readonly playMs?: number
}

const LENIENT = { failOn: 'none', limitInputPixels: 100e6, unlimited: false } as const

/** Dots an inch at which sharp draws an SVG at its own size. */
const SVG_DENSITY = 72

/** Browsers show a frame of 10 ms or less for 100 ms. */
const played = (delay: number): number => (delay <= 10 ? 100 : delay)

/** Whether the chunk that makes a PNG an animation stands before its pixels. */
const isAnimatedPng = async (input: string | Buffer): Promise<boolean> => {
  const bytes = typeof input === 'string' ? await readFile(input) : input
  const control = bytes.indexOf('acTL')
  return control >= 0 && control < bytes.indexOf('IDAT')
}

/** A drawing that states no size at all: browsers take 300x150 px, sharp the extent of what is drawn. */
const isWithoutSize = async (input: string | Buffer): Promise<boolean> => {
  const text = (typeof input === 'string' ? await readFile(input) : input).toString('latin1')
  const root = /<(?:\w+:)?svg\b[^>]*>/.exec(text)?.[0]
  return root !== undefined && !/\s(width|height|viewBox)\s*=/.test(root)
}

/** The upright size and the kind of an image, by sharp alone. Rejects when sharp cannot read it. */
export const look = async (input: string | Buffer): Promise<Seen> => {
  const { autoOrient, format, icc, pages = 1, delay = [] } = await sharp(input, LENIENT).metadata()
  const playMs = pages > 1 && delay.length > 0 ? delay.reduce((sum, each) => sum + played(each), 0) : undefined
  if (format === 'svg' && (await isWithoutSize(input))) throw new Error('It states no size.')
  const apng = format === 'png' && (await isAnimatedPng(input))
  return { ...autoOrient, format, apng, profile: icc !== undefined, ...(playMs === undefined ? {} : { playMs }) }
}

const picture = async (image: Sharp): Promise<Picture> => {
  const { data, info } = await image
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: 4 }
}

/** The (first) frame of an image, upright and in sRGB; a drawing at `scale` times its size. */
export const decodePicture = (input: string | Buffer, scale = 1): Promise<Picture> =>
  picture(sharp(input, { ...LENIENT, autoOrient: true, ...(scale === 1 ? {} : { density: SVG_DENSITY * scale }) }))

const open = ({ data, width, height, channels }: Picture): Sharp => sharp(data, { raw: { width, height, channels } })

const samePixel = (data: Buffer, at: number): boolean => data.readUInt32LE(at * 4) === data.readUInt32LE(0)

const every = (count: number, holds: (index: number) => boolean): boolean => {
  for (let index = 0; index < count; index++) if (!holds(index)) return false
  return true
}

/** All frames of an image below one another, upright and in sRGB. */
export const decodeStrip = (input: string): Promise<Picture> =>
  picture(sharp(input, { ...LENIENT, autoOrient: true, pages: -1 }))

/**
 * trim=border (§2), in the plainest way: a row or a column at a time, while every pixel equals the corner's, in all frames
 * of `strip`. Returns the first frame without its border.
 */
export const trimmed = async (strip: Picture, frameHeight: number): Promise<Picture> => {
  const { data, width } = strip
  const frames = Math.round(strip.height / frameHeight)
  let [left, top, right, bottom] = [0, 0, width, frameHeight]
  const pixel = (x: number, y: number): boolean =>
    every(frames, (frame) => samePixel(data, (frame * frameHeight + y) * width + x))
  const row = (y: number): boolean => every(width, (x) => pixel(x, y))
  const column = (x: number): boolean => every(bottom - top, (y) => pixel(x, top + y))
  while (top < bottom && row(top)) top++
  if (top === bottom) return cut(strip, { left: 0, top: 0, width, height: frameHeight })
  while (row(bottom - 1)) bottom--
  while (column(left)) left++
  while (column(right - 1)) right--
  return cut(strip, { left, top, width: right - left, height: bottom - top })
}

const cut = (from: Picture, box: Box): Promise<Picture> => picture(open(from).extract(box))

/** Pixels on the longest side that pictures are compared at: enough for anything that a viewer would call wrong. */
const COMPARED_SIDE = 400

const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 }

/** The size at which a result is compared. */
export const comparedSize = ({ width, height }: Extent): Extent => {
  const scale = Math.min(1, COMPARED_SIDE / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** A result at the size that it is compared at. */
export const reduced = (from: Picture, to: Extent): Promise<Picture> =>
  from.width === to.width && from.height === to.height
    ? Promise.resolve(from)
    : picture(open(from).resize(to.width, to.height, { fit: 'fill' }))

/** The expected result at that size; undefined where the content decides the crop (`crop=auto`, a focal point). */
export const referenceOf = async (
  from: Picture,
  { resize, background, format }: Options,
  to: Extent,
): Promise<Picture | undefined> => {
  const ground = background === 'transparent' ? CLEAR : { ...background, alpha: 1 }
  const flat = (image: Sharp): Sharp =>
    format === 'jpeg' || format === 'h264' || format === 'webm' ? image.flatten({ background: ground }) : image
  if (resize.kind === 'full' || resize.method.kind === 'fit' || resize.method.kind === 'scale-down')
    return picture(flat(open(from).resize(to.width, to.height, { fit: 'fill' })))
  if (resize.method.kind === 'pad')
    return picture(flat(open(from).resize(to.width, to.height, { fit: 'contain', background: ground })))
  const { focus } = resize.method
  if (focus.kind !== 'centre' && focus.kind !== 'edge') return undefined
  const position = focus.kind === 'edge' ? focus.edge : 'centre'
  return picture(flat(open(from).resize(to.width, to.height, { fit: 'cover', position })))
}
