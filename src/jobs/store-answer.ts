import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../core/failure.ts'
import { removeFile } from '../core/remove.ts'
import type { Results } from '../ports/results.ts'
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

/** Makes a {@link StoreAnswer} on a result store. */
export const openAnswerStore =
  ({ results, directory, tell }: AnswerStoreSettings): StoreAnswer =>
  async (key, answer, { promised }) => {
    const path = join(directory, `store-${randomUUID()}`)
    try {
      if (typeof answer.body === 'function') {
        await pipeline(await answer.body(), createWriteStream(path, { mode: 0o600 }))
      } else {
        await writeFile(path, answer.body, { mode: 0o600 })
      }
      return await results.put(key, path, metaOf(answer, promised))
    } catch (error) {
      if (!(error instanceof Failure)) tell(error)
      return false
    } finally {
      await removeFile(path)
    }
  }
