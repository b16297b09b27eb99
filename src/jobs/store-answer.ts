import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../core/failure.ts'
import { removeFile } from '../core/remove.ts'
import type { OpenBody, Results } from '../ports/results.ts'
import type { ImageAnswer } from './answer.ts'
import { metaOf } from './recall.ts'

export interface AnswerStoreSettings {
  readonly results: Results
  /** For files on their way into the store. */
  readonly directory: string
  /** Hears of answers that could not be stored. A store that is away is told of by itself. */
  readonly tell: (error: unknown) => void
}

/** Keeps answers in the result store; false when there was no room or the store could not take it: that never costs the answer. */
export type StoreAnswer = (key: string, answer: ImageAnswer, how: { readonly promised: boolean }) => Promise<boolean>

/** A body that is open elsewhere, in a file that goes when it is disposed of. */
const copyOf = async (open: OpenBody, directory: string): Promise<AsyncDisposable & { readonly path: string }> => {
  const path = join(directory, `store-${randomUUID()}`)
  const dispose = (): Promise<void> => removeFile(path)
  try {
    await pipeline(await open(), createWriteStream(path, { mode: 0o600 }))
  } catch (error) {
    await dispose()
    throw error
  }
  return { path, [Symbol.asyncDispose]: dispose }
}

/** Makes a {@link StoreAnswer} on a result store. */
export const openAnswerStore =
  ({ results, directory, tell }: AnswerStoreSettings): StoreAnswer =>
  async (key, answer, { promised }) => {
    const meta = metaOf(answer, promised)
    try {
      if (typeof answer.body !== 'function') return await results.put(key, answer.body, meta)
      await using file = await copyOf(answer.body, directory)
      return await results.put(key, file.path, meta)
    } catch (error) {
      if (!(error instanceof Failure)) tell(error)
      return false
    }
  }
