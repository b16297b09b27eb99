import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import type { Raster } from '../../src/core/image.ts'

/** Where the models of the package are. */
export const MODELS = new URL('../../models/', import.meta.url)

const PORTRAIT = new URL('../fixtures/jpeg/pillow__hopper_orientation_5.jpg', import.meta.url)

/** A person whose face is seen, 128 x 128 px, upright. */
export const portrait = async (): Promise<Raster> => {
  const { data, info } = await sharp(await readFile(PORTRAIT))
    .autoOrient()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: 3 }
}
