import { stat } from 'node:fs/promises'

/** Whether a file or a folder of this path exists, as far as this process may see. */
export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
