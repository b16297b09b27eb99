import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answer } from '../jobs/answer.ts'

/** Bodies up to this size are sent from memory: so much a connection, whatever its client does. */
const MEMORY_BYTES = 131_072

/** A file that has no name any more: it is gone when it is closed, also by the end of this process. */
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

interface Lent extends AsyncDisposable {
  readonly answer: Answer
}

const fromDisk = async (answer: Answer, directory: string): Promise<Lent> => {
  const asItIs: Lent = { answer, [Symbol.asyncDispose]: () => Promise.resolve() }
  if (answer.kind !== 'image' || typeof answer.body === 'function' || answer.body.length <= MEMORY_BYTES) return asItIs
  const file = await namelessFile(directory, answer.body).catch(() => undefined)
  // A full disk costs nobody the answer.
  if (file === undefined) return asItIs
  const body = async () => file.createReadStream({ start: 0, autoClose: false })
  return { answer: { ...answer, body }, [Symbol.asyncDispose]: () => file.close() }
}

/**
 * Makes an answer and sends it, a large body out of a nameless file in `directory`: a client that reads slowly would hold it in
 * memory for as long as it likes. The answer is made here, so that nothing else holds on to the body while it is sent.
 */
export const sendFromDisk = async (
  make: () => Promise<Answer>,
  directory: string,
  send: (answer: Answer) => Promise<void>,
): Promise<void> => {
  await using lent = await make().then((answer) => fromDisk(answer, directory))
  await send(lent.answer)
}
