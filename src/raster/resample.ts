import sharp, { type Sharp } from 'sharp'
import type { Raster, Rgb } from '../core/image.ts'
import type { Geometry } from '../plan/plan.ts'
import { padOnto } from './pad.ts'

export interface Resampling {
  readonly pixels: Raster
  /** Geometry for the upright, trimmed source. `pixels` may already have the size `scaleTo`. */
  readonly geometry: Geometry
  /** Colour of the canvas. */
  readonly background: Rgb | 'transparent'
}

/** Applies a geometry: extract, scale with premultiplied alpha in sRGB as browsers do, crop, pad. */
export const resample = async ({ pixels, geometry, background }: Resampling): Promise<Raster> => {
  const fitted = await cutAndScale(pixels, geometry)
  return geometry.canvas === undefined ? fitted : padOnto(fitted, geometry.canvas, background)
}

const cutAndScale = async (pixels: Raster, { extract, scaleTo, crop }: Geometry): Promise<Raster> => {
  const from = extract ?? pixels
  const scales = from.width !== scaleTo.width || from.height !== scaleTo.height
  if (!scales && extract === undefined && crop === undefined) return pixels
  let image = open(pixels)
  if (extract !== undefined) image = image.extract(extract)
  if (scales) image = image.resize(scaleTo.width, scaleTo.height, { fit: 'fill', kernel: scaleTo.kernel ?? 'lanczos3' })
  if (crop !== undefined) image = image.extract(crop)
  return close(image, pixels)
}

const open = ({ data, width, height, channels }: Raster): Sharp =>
  sharp(data, { raw: { width, height, channels }, limitInputPixels: false })

const close = async (image: Sharp, { channels }: Raster): Promise<Raster> => {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  if (info.channels !== channels) throw new Error(`Resampled ${channels} channels to ${info.channels}`)
  return { width: info.width, height: info.height, channels, data }
}
