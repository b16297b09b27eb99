import { copyFile, link } from 'node:fs/promises'

/** Makes the file `from` known as `to` as well; copies it where the file system knows no second names. */
export const linkOrCopy = (from: string, to: string): Promise<void> => link(from, to).catch(() => copyFile(from, to))
