import { access, chmod, constants } from 'node:fs/promises'

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** Whether a file can be run, made so where an installation without install scripts left the bit off. */
export const makeExecutable = async (path: string): Promise<boolean> => {
  if (await isExecutable(path)) return true
  await chmod(path, 0o755).catch(() => undefined)
  return isExecutable(path)
}
