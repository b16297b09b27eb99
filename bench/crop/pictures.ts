import sharp, { type Sharp } from 'sharp'
import type { Raster } from '../../src/core/image.ts'
import { type Rectangle, readLabels, readPictures } from './labels.ts'

const rasterOf = async (image: Sharp): Promise<Raster> => {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: 3 }
}

/** The upright opaque sRGB pixels of a file. */
export const loadPicture = (file: string): Promise<Raster> =>
  rasterOf(sharp(file).autoOrient().flatten({ background: '#fff' }).toColourspace('srgb').removeAlpha())

const opened = ({ data, width, height }: Raster): Sharp => sharp(data, { raw: { width, height, channels: 3 } })

const scaled =
  (scale: number) =>
  (image: Raster): Promise<Raster> =>
    rasterOf(
      opened(image).resize(
        Math.max(1, Math.round(image.width * scale)),
        Math.max(1, Math.round(image.height * scale)),
        {
          fit: 'fill',
        },
      ),
    )

/** Copies of a picture, by name. The darker copy has 60 % of every sample, and the losses of a JPEG file of quality 55. */
const COPIES: Readonly<Record<string, (image: Raster) => Promise<Raster>>> = {
  original: async (image) => image,
  mirrored: (image) => rasterOf(opened(image).flop()),
  'x 0.5': scaled(0.5),
  'x 0.75': scaled(0.75),
  'x 2': scaled(2),
  darker: async (image) => rasterOf(sharp(await opened(image).linear(0.6).jpeg({ quality: 55 }).toBuffer())),
}

/** A picture of a set. The originals of the labelled photographs form two sets, the folds; each kind of copy forms another. */
export interface SetPicture {
  readonly set: string
  readonly file: string
  readonly image: Raster
  /** The labelled subject of an original of the first folder: that of the bench's figures. */
  readonly subject: Rectangle | undefined
}

/** All pictures of some folders that have labels, and their copies. */
export const picturesOf = async function* (folders: readonly string[]): AsyncGenerator<SetPicture> {
  for (const folder of folders) {
    const subjects = new Map(
      folder === folders[0] ? readLabels(folder).map(({ file, subject }) => [file, subject]) : [],
    )
    for (const [at, file] of readPictures(folder).entries()) {
      const picture = await loadPicture(file)
      for (const [copy, make] of Object.entries(COPIES)) {
        const set = copy === 'original' ? `fold ${(at % 2) + 1}` : copy.startsWith('x') ? 'scaled' : copy
        yield { set, file, subject: copy === 'original' ? subjects.get(file) : undefined, image: await make(picture) }
      }
    }
  }
}
