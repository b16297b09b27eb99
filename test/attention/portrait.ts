import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { type Detectors, loadDetectors } from '../../src/attention/detectors.ts'
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

/** The networks, with one for faces that finds none, so that the head is searched. */
export const openWithoutFaces = async (): Promise<Detectors> => {
  const nowhere = new Float32Array(48 * 48 * 16).fill(-20)
  const none = { faceScores: nowhere, faceBoxes: nowhere, personScores: nowhere, personBoxes: nowhere }
  return { ...(await loadDetectors(MODELS)), faces: { run: () => none } }
}
