import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../core/failure.ts'
import type { OpenBody, Results } from '../ports/results.ts'
import { removeFile } from '../support/remove.ts'
import type { ImageAnswer } from './answer.ts'
import { metaOf } from './recall.ts'

export interface AnswerStoreSettings {
  readonly results: Results
  /** For files that are being stored. */
  readonly directory: string
  /** Reports responses that could not be stored. An unreachable store reports itself. */
  readonly report: (error: unknown) => void
}

/** Stores responses. False when the store is full or fails, which never affects the response. */
export type StoreAnswer = (key: string, answer: ImageAnswer, how: { readonly promised: boolean }) => Promise<boolean>

/** Copies a body into a temporary file. Disposal removes it. */
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

/** Creates a {@link StoreAnswer} for a result store. */
export const openAnswerStore =
  ({ results, directory, report }: AnswerStoreSettings): StoreAnswer =>
  async (key, answer, { promised }) => {
    const meta = metaOf(answer, promised)
    try {
      if (typeof answer.body !== 'function') return await results.put(key, answer.body, meta)
      await using file = await copyOf(answer.body, directory)
      return await results.put(key, file.path, meta)
    } catch (error) {
      if (!(error instanceof Failure)) report(error)
      return false
    }
  }
