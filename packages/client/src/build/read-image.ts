import { open } from 'node:fs/promises'
import { HEADER_BYTES, isImageHeader } from './image-header.ts'

/** A file that is named as an image and is none. */
export class NotAnImage extends Error {}

/**
 * Reads an image file. Its header is looked at first: of anything else no more is read and nothing returned. Fails with
 * {@link NotAnImage}, or as reading files does.
 */
export const readImage = async (path: string): Promise<Uint8Array<ArrayBuffer>> => {
  const file = await open(path)
  try {
    const head = new Uint8Array(HEADER_BYTES)
    const { bytesRead } = await file.read(head, 0, HEADER_BYTES, 0)
    if (!isImageHeader(head.subarray(0, bytesRead))) throw new NotAnImage(`${path} is not an image.`)
    // The same open file: no other one can take its place in between. Positioned reads leave it at its start.
    return new Uint8Array(await file.readFile())
  } finally {
    await file.close()
  }
}
