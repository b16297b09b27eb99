import { Failure, fail } from '../core/failure.ts'

/** Names of exhausted resources for the log, by error code. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left on the disk',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EMFILE: 'this process has no file descriptors left',
  ENFILE: 'the system has no file descriptors left',
  ENOMEM: 'there is no memory left',
  EAGAIN: 'the system has no room for another process',
}

/** Messages of libraries that report exhaustion without a code, and the code for each. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/no space left on device|database or disk is full/i, 'ENOSPC'],
  [/too many open files/i, 'EMFILE'],
  [/read-only file system|attempt to write a readonly database/i, 'EROFS'],
]

const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  const { code = '' } = error as NodeJS.ErrnoException
  return code in EXHAUSTED ? code : WORDS.find(([words]) => words.test(error.message))?.[1]
}

/** The exhausted resource that caused an error, or undefined. Such an error is answered with 503, not as an internal error (§6). */
export const exhaustedBy = (error: unknown): string | undefined => EXHAUSTED[codeOf(error) ?? '']

/** The failure for an exhausted resource. undefined for other errors. */
export const exhaustion = (error: unknown): Failure | undefined => {
  const what = exhaustedBy(error)
  return what === undefined ? undefined : Object.assign(fail('NO_ROOM'), { cause: error })
}

/** Whether an error has its own response: a Failure, or an exhausted resource of the machine. */
export const hasOwnResponse = (error: unknown): boolean => error instanceof Failure || exhaustion(error) !== undefined
