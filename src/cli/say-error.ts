import { Failure } from '../core/failure.ts'

/** A sentence about an error of a command that works on files. */
export const sayError = (error: unknown): string => {
  if (error instanceof Failure) return error.message
  const { code } = error as NodeJS.ErrnoException
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'The file has gone.',
    EACCES: 'The file may not be read or written: check its permissions.',
    EPERM: 'The file may not be read or written: check its permissions.',
    EROFS: 'The disk is read-only.',
    ENOSPC: 'The disk is full; nothing was changed.',
    EDQUOT: 'The quota of the disk is used up; nothing was changed.',
    EISDIR: 'There is a folder where the result should go.',
    ENOTDIR: 'There is a file where a folder should be.',
    ENAMETOOLONG: 'The name of the result is too long.',
  }
  return known[code ?? ''] ?? (error instanceof Error ? error.message : String(error))
}
