import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Required properties of a file. */
export interface Expected {
  /** Its size, exactly. */
  readonly bytes: number
  /** Maximum number of hard links. One more means that the file belongs to someone else. */
  readonly links: number
}

/**
 * Reads a file from an untrusted process. Follows no symbolic link, and reads no device, pipe or hard-linked foreign file. Throws when
 * the file does not have the expected properties.
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
