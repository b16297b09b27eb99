/** The library: `import { optimise, compare } from '@whittle-images/whittle'`. Only child processes touch pixels. */

import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IDLE_MS } from '../core/intervals.ts'
import { removeDirectory } from '../support/remove.ts'
import { type ImageOptions, listOf } from './list.ts'
import { type OptimisedImage, type Optimiser, openOptimiser, type Work } from './optimiser.ts'

export { Failure } from '../core/failure.ts'
export { type CompareLimits, type Comparison, compare, SizesDiffer, type TileScore } from './compare.ts'
export type { ImageOptions } from './list.ts'
export {
  type OptimisedImage,
  type Optimiser,
  type OptimiserSettings,
  openOptimiser,
  type Work,
} from './optimiser.ts'

let shared: Optimiser | undefined
let users = 0
let closing: ReturnType<typeof setTimeout> | undefined

const withShared = async <Result>(use: (optimiser: Optimiser) => Promise<Result>): Promise<Result> => {
  clearTimeout(closing)
  shared ??= openOptimiser()
  const optimiser = shared
  users += 1
  try {
    return await use(optimiser)
  } finally {
    users -= 1
    if (users === 0)
      closing = setTimeout(() => {
        shared = undefined
        void optimiser.close()
      }, IDLE_MS)
  }
}

/**
 * Optimises one image, a path or its bytes, by an option list (`'800x600,crop=auto,2x'`) or an object. Fails with a {@link Failure}
 * whose `code` and `message` name the problem, or with the signal's reason.
 */
const optimiseImage = (
  image: string | Uint8Array,
  options: string | ImageOptions = {},
  work: Work = {},
): Promise<OptimisedImage> =>
  withShared(async (optimiser) => {
    work.signal?.throwIfAborted()
    const list = typeof options === 'string' ? options : listOf(options)
    if (typeof image === 'string') return optimiser.optimiseFile(image, list, work)
    const directory = await mkdtemp(join(tmpdir(), 'whittle-'))
    try {
      const path = join(directory, 'source')
      await writeFile(path, image)
      return await optimiser.optimiseFile(path, list, work)
    } finally {
      await removeDirectory(directory)
    }
  })

export { optimiseImage as optimise }
