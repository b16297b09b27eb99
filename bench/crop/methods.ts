import sharp, { type ResizeOptions } from 'sharp'
import { chooseFocus } from '../../src/attention/choose-focus.ts'
import { findAttention, roundFocus } from '../../src/attention/find-attention.ts'
import type { Box, Extent, Raster } from '../../src/core/image.ts'
import { placeWindow } from '../../src/plan/window.ts'

/** Looks at an image, and then places the window of `output`'s shape in it. */
export type Method = (image: Raster) => Promise<(output: Extent) => Box | Promise<Box>>

const middle: Method = async (image) => (output) => placeWindow(image, output, { x: 0.5, y: 0.5 })

const ours: Method = async (image) => {
  const attention = await findAttention(image)
  return (output) => placeWindow(image, output, roundFocus(chooseFocus([attention], output)))
}

/** libvips' own choice: the image is scaled to cover the box, and sharp returns the offset of the crop. */
const libvips =
  (position: NonNullable<ResizeOptions['position']>): Method =>
  async (image) =>
  async (output) => {
    const raw = { width: image.width, height: image.height, channels: image.channels }
    const { scale, width, height } = placeWindow(image, output, { x: 0.5, y: 0.5 })
    const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
    const cut = sharp(image.data, { raw }).resize(size.width, size.height, { fit: 'cover', position })
    const { info } = await cut.raw().toBuffer({ resolveWithObject: true })
    return { left: -(info.cropOffsetLeft ?? 0) / scale, top: -(info.cropOffsetTop ?? 0) / scale, width, height }
  }

interface SmartCrop {
  crop(image: Raster, options: object): Promise<{ topCrop: { x: number; y: number; width: number; height: number } }>
}

/** Operations that smartcrop.js needs: resizing an image, and its RGBA. */
const imageOperations = (ImgData: new (width: number, height: number, data: Uint8Array) => unknown) => ({
  open: async (image: Raster) => image,
  resample: async (image: Raster, width: number, height: number): Promise<Raster> => {
    const size = { width: Math.max(1, Math.floor(width)), height: Math.max(1, Math.floor(height)) }
    const raw = { width: image.width, height: image.height, channels: image.channels }
    const data = await sharp(image.data, { raw }).resize(size.width, size.height, { fit: 'fill' }).raw().toBuffer()
    return { ...size, channels: image.channels, data }
  },
  getData: async ({ data, ...raw }: Raster) =>
    new ImgData(raw.width, raw.height, await sharp(data, { raw }).ensureAlpha().raw().toBuffer()),
})

/** smartcrop.js, if it is installed (`npm install --no-save smartcrop`). */
const smartCrop = async (): Promise<Method | undefined> => {
  const name = 'smartcrop'
  const module = await import(name).catch(() => undefined)
  if (module === undefined) return undefined
  const library = module.default as SmartCrop & { ImgData: Parameters<typeof imageOperations>[0] }
  return async (image) => async (output) => {
    const options = {
      width: output.width,
      height: output.height,
      minScale: 1,
      imageOperations: imageOperations(library.ImgData),
    }
    const { topCrop } = await library.crop(image, options)
    return { left: topCrop.x, top: topCrop.y, width: topCrop.width, height: topCrop.height }
  }
}

/** Every method that is compared, by name. */
export const openMethods = async (): Promise<Readonly<Record<string, Method>>> => {
  const peer = await smartCrop()
  return {
    'this service': ours,
    centre: middle,
    'libvips attention': libvips('attention'),
    'libvips entropy': libvips('entropy'),
    ...(peer === undefined ? {} : { 'smartcrop.js': peer }),
  }
}
