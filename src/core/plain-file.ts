import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** What a file has to be, besides a plain one. */
export interface Expected {
  /** Its size, exactly. */
  readonly bytes: number
  /** Names that it may have; one more than the others means that it is somebody else's file under another name. */
  readonly links: number
}

/**
 * Reads a file that a process we do not trust has written: never through a symbolic link, never a device or a pipe, and no
 * other file under a second name. Throws when it is not what it has to be.
 */
export const readPlainFile = async (path: string, { bytes, links }: Expected): Promise<Buffer> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const facts = await file.stat()
    if (!facts.isFile() || facts.nlink > links) throw new Error(`"${path}" is not a plain file of its own.`)
    if (facts.size !== bytes)
      throw new Error(`"${path}" has ${facts.size} bytes and not the ${bytes} that were announced.`)
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(bytes), 0, bytes, 0)
    if (bytesRead !== bytes) throw new Error(`"${path}" was cut off while it was read.`)
    return buffer
  } finally {
    await file.close()
  }
}
