import { stat } from 'node:fs/promises'

/** Whether a path is that of a folder. False where there is nothing, or nothing that may be read. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
