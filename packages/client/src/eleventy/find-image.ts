import { dirname, join, resolve } from 'node:path'
import { NotAnImage, readImage } from '../build/read-image.ts'

/** An image that a template names. */
export interface FoundImage {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly name: string
}

export const isRemote = (src: string): boolean => /^(https?:)?\/\//i.test(src)

/** Paths of a source; the first that exists counts: below the project's root, next to its template, in the folder of inputs. */
const placesOf = (src: string, { root, input, template }: Places): readonly string[] => {
  const path = decodeURI(src.replace(/[?#].*$/, ''))
  const below = path.replace(/^\/+/, '')
  const beside = template === undefined ? [] : [resolve(root, dirname(template), path)]
  return [
    ...new Set(
      path.startsWith('/')
        ? [join(root, input, below), join(root, below)]
        : [resolve(root, path), ...beside, resolve(root, input, path)],
    ),
  ]
}

/** Folders from the project's root, which is absolute. */
export interface Places {
  readonly root: string
  readonly input: string
  /** The file that names the image. */
  readonly template: string | undefined
}

/** Reads the image. Fails with an Error that says where it was looked for, or with NotAnImage. */
export const findImage = async (src: string, places: Places): Promise<FoundImage> => {
  const paths = placesOf(src, places)
  for (const path of paths) {
    const bytes = await readImage(path).catch((error: unknown) => {
      if (error instanceof NotAnImage) throw error
      return undefined
    })
    if (bytes !== undefined)
      return { bytes, name: path.startsWith(`${places.root}/`) ? path.slice(places.root.length + 1) : path }
  }
  throw new Error(`There is no image ${src}: looked for ${paths.join(', ')}.`)
}
