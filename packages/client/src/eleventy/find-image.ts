import { dirname, join, resolve } from 'node:path'
import { NotAnImage, readImage } from '../build/read-image.ts'

/** The content of an image that a template names, and its path relative to the project for messages. */
export interface FoundImage {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly name: string
}

/** Whether a source has a host. */
export const isRemote = (src: string): boolean => /^(https?:)?\/\//i.test(src)

const fileNameOf = (url: string): string => new URL(url, 'https://localhost').pathname.split('/').at(-1) || 'image'

/** Returns the address of a source with a host, and the file name in it. Uses `https` for a source without a scheme. */
export const remoteImage = (src: string): { readonly url: string; readonly name: string } => ({
  url: src.startsWith('//') ? `https:${src}` : src,
  name: fileNameOf(src),
})

/** The folders to search. */
export interface SearchFolders {
  /** Absolute path of the project. */
  readonly root: string
  /** Folder of Eleventy's input, relative to `root`. */
  readonly input: string
  /** The template that names the image, relative to `root`. */
  readonly template: string | undefined
}

/** Decodes the path of a source. A path with a stray percent sign, such as `100%.jpg`, is the name of a file as it is. */
const decodedPath = (path: string): string => {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Returns the paths to try, in this order: below the project, next to the template, below the input folder. A source with a leading `/` starts at the input folder or the project. */
const candidatePaths = (src: string, { root, input, template }: SearchFolders): readonly string[] => {
  const path = decodedPath(src.split(/[?#]/, 1)[0] ?? '')
  const relativePath = path.replace(/^\/+/, '')
  const besideTemplate = template === undefined ? [] : [resolve(root, dirname(template), path)]
  return [
    ...new Set(
      path.startsWith('/')
        ? [join(root, input, relativePath), join(root, relativePath)]
        : [resolve(root, path), ...besideTemplate, resolve(root, input, path)],
    ),
  ]
}

/** Reads the first image that exists. Fails with NotAnImage for another file, or with an Error that lists the searched paths. */
export const findImage = async (src: string, folders: SearchFolders): Promise<FoundImage> => {
  const paths = candidatePaths(src, folders)
  for (const path of paths) {
    const bytes = await readImage(path).catch((error: unknown) => {
      if (error instanceof NotAnImage) throw error
      return undefined
    })
    if (bytes !== undefined)
      return { bytes, name: path.startsWith(`${folders.root}/`) ? path.slice(folders.root.length + 1) : path }
  }
  throw new Error(`There is no image ${src}: looked for ${paths.join(', ')}.`)
}
