import { open } from 'node:fs/promises'
import { HEADER_BYTES, isImageHeader } from './image-header.ts'

/** The failure of reading a file that is not an image. */
export class NotAnImage extends Error {}

/**
 * Reads an image file whole. Checks its first bytes before it reads the rest. Fails with {@link NotAnImage} for any other
 * file, or with the file system's error.
 */
export const readImage = async (path: string): Promise<Uint8Array<ArrayBuffer>> => {
  const file = await open(path)
  try {
    const head = new Uint8Array(HEADER_BYTES)
    const { bytesRead } = await file.read(head, 0, HEADER_BYTES, 0)
    if (!isImageHeader(head.subarray(0, bytesRead))) throw new NotAnImage(`${path} is not an image.`)
    // Reads from the open file, since another file may have replaced it at the path. The positioned read has not moved its offset.
    return new Uint8Array(await file.readFile())
  } finally {
    await file.close()
  }
}
