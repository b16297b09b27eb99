import { basename, extname, relative } from 'node:path'
import { contentTypeOf, extensionOf } from '../build/formats.ts'
import { type ImageSize, sizeOf } from '../build/image-size.ts'
import type { Candidate } from '../build/picture.ts'
import { plannedSize } from '../build/planned-size.ts'
import { readImage } from '../build/read-image.ts'
import type { Variant } from '../variant.ts'

/** An image that a module imports. */
export interface Imported {
  /** Absolute path. */
  readonly file: string
  /** Path relative to the root of the project, for messages. */
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly size: ImageSize | undefined
}

/** Returns the path of the file in an import `<file>?<directives>`. */
export const fileOf = (id: string): string => id.slice(0, id.indexOf('?'))

/** Reads the image of an import. Fails as {@link readImage} does. */
export const readImport = async (id: string, root: string): Promise<Imported> => {
  const file = fileOf(id)
  const bytes = await readImage(file)
  return { file, name: relative(root, file), bytes, size: sizeOf(bytes) }
}

/** Predicts the result of a variant before the service optimises it. */
export const plannedResult = ({ size }: Imported, variant: Variant): Candidate['result'] => {
  const format = variant.format ?? size?.format
  return {
    kind: 'optimised',
    size: size && { ...size, ...plannedSize(variant, size) },
    contentType: format === undefined ? 'application/octet-stream' : contentTypeOf(format),
  }
}

/** Returns the name of an asset without its hash. Replaces characters that `srcset` would have to escape. */
export const assetNameOf = ({ file }: Imported, contentType: string): string =>
  `${basename(file, extname(file)).replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')}.${extensionOf(contentType)}`
