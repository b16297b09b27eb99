import { copyFile, link } from 'node:fs/promises'

/** Links the file `from` at `to`, or copies it if the file system has no hard links. */
export const linkOrCopy = (from: string, to: string): Promise<void> => link(from, to).catch(() => copyFile(from, to))
