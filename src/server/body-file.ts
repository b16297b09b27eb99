import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { BUFFER_BYTES } from '../core/piece-bytes.ts'
import type { Answer } from '../jobs/answer.ts'
import type { OpenBody } from '../ports/results.ts'

/** Creates an unlinked file. The system removes it when it is closed or this process ends. */
const namelessFile = async (directory: string, bytes: Uint8Array): Promise<FileHandle> => {
  const path = join(directory, `${randomUUID()}.source`)
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    await unlink(path)
    await file.writeFile(bytes)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

interface BorrowedAnswer extends AsyncDisposable {
  readonly answer: Answer
}

const fromDisk = async (answer: Answer, directory: string): Promise<BorrowedAnswer> => {
  const unchanged: BorrowedAnswer = { answer, [Symbol.asyncDispose]: () => Promise.resolve() }
  if (answer.kind !== 'image' || typeof answer.body === 'function' || answer.body.length <= BUFFER_BYTES)
    return unchanged
  const bytes = answer.body.length
  const file = await namelessFile(directory, answer.body).catch(() => undefined)
  // If the disk is full, the body is sent from memory.
  if (file === undefined) return unchanged
  const body: OpenBody = async ({ first, last } = { first: 0, last: bytes - 1 }) =>
    file.createReadStream({ start: first, end: last, autoClose: false })
  return { answer: { ...answer, body }, [Symbol.asyncDispose]: () => file.close() }
}

/**
 * Creates a response and sends it. Sends a large body from an unlinked file in `directory`, since a slow client would keep the
 * body in memory. Calls `make` itself, so that nothing else references the body during the transfer.
 */
export const sendFromDisk = async (
  make: () => Promise<Answer>,
  directory: string,
  send: (answer: Answer) => Promise<void>,
): Promise<void> => {
  await using borrowed = await make().then((answer) => fromDisk(answer, directory))
  await send(borrowed.answer)
}
