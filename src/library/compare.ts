import { fork } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure, type FailureData, fail } from '../core/failure.ts'
import { MAX_WORK_MS, UPDATE_MS } from '../core/intervals.ts'
import { MAX_INT32 } from '../core/units.ts'
import { assertSharp } from '../engine/pool/process/assert-sharp.ts'
import { residentBytes } from '../engine/pool/process/process-group.ts'
import { workerMemory } from '../engine/pool/worker-memory.ts'
import { removeDirectory } from '../support/remove.ts'

/** The score of a region, in px from the upper left corner. */
export interface TileScore {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  /** SSIMULACRA 2.1 of the region alone. */
  readonly score: number
}

/** The similarity of two images. */
export interface Comparison {
  readonly width: number
  readonly height: number
  /** SSIMULACRA 2.1: 100 is identical, 90 is indistinguishable, 70 is good, below 50 is visibly worse. */
  readonly score: number
  /** SSIMULACRA 2.1 of the worst region. */
  readonly worst: number
  /** Butteraugli's 3-norm: 0 is identical; differences become visible at about 1. */
  readonly butteraugli: number
  /** Butteraugli's maximum difference. */
  readonly butteraugliMax: number
  readonly tiles: readonly TileScore[]
  /** PNG of the absolute differences times 8. */
  readonly difference: Uint8Array
}

/** The input of the child process. */
export interface CompareJob {
  readonly reference: string
  readonly candidate: string
  /** Output path of the difference. */
  readonly difference: string
}

export type CompareAnswer =
  | { readonly kind: 'done'; readonly comparison: Omit<Comparison, 'difference'> }
  | { readonly kind: 'failed'; readonly failure: FailureData }
  | { readonly kind: 'different-sizes'; readonly message: string }
  | { readonly kind: 'fault'; readonly message: string }

/** The child's file: TypeScript under type stripping, JavaScript after the build. */
const WORKER = fileURLToPath(
  new URL(`./compare-child${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
)

/** The images have different sizes. */
export class SizesDiffer extends Error {}

/** Limits of a comparison. */
export interface CompareLimits {
  /** Ends the comparison early. */
  readonly signal?: AbortSignal
  /** Maximum resident bytes of the child process. Default: 3 GB, or 80 % of the machine's or the container's memory if that is less, and at least 512 MB. Linux only. Above it `compare` fails with IMAGE_TOO_COMPLEX. */
  readonly memoryLimit?: number
  /** Maximum ms. Default: 10 minutes. Infinity, or more than 2^31-1, means no limit. After it `compare` fails with WORK_TOO_SLOW. */
  readonly timeoutMs?: number
}

/** A signal that fires when `signal` does, when the time is over, or when the returned function finds too much memory in use. */
const watchLimits = ({ signal, memoryLimit = workerMemory(1), timeoutMs = MAX_WORK_MS }: CompareLimits) => {
  const over = new AbortController()
  // A timer of more ms would fire at once.
  const timer =
    timeoutMs > MAX_INT32 ? undefined : setTimeout(() => over.abort(fail('WORK_TOO_SLOW', timeoutMs)), timeoutMs)
  return {
    signal: signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]),
    measure: (pid: number): void => {
      if (residentBytes(pid) > memoryLimit) over.abort(fail('IMAGE_TOO_COMPLEX', memoryLimit))
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

const answerOf = async (job: CompareJob, limits: CompareLimits): Promise<CompareAnswer> => {
  using watched = watchLimits(limits)
  const { signal, measure } = watched
  const { promise, resolve, reject } = Promise.withResolvers<CompareAnswer>()
  const execArgv = ['--disable-warning=ExperimentalWarning']
  const child = fork(WORKER, [], { execArgv, signal, killSignal: 'SIGKILL' })
  const measuring = setInterval(() => child.pid !== undefined && measure(child.pid), UPDATE_MS)
  child.once('message', (answer: CompareAnswer) => {
    resolve(answer)
    child.disconnect()
  })
  child.once('error', (error) => reject(signal.aborted ? signal.reason : error))
  child.once('exit', (code, killed) => reject(new Error(`The comparison ended unexpectedly (${killed ?? code}).`)))
  child.send(job)
  try {
    return await promise
  } finally {
    clearInterval(measuring)
  }
}

const inFile = async (directory: string, name: string, image: string | Uint8Array): Promise<string> => {
  if (typeof image === 'string') return image
  const path = join(directory, name)
  await writeFile(path, image)
  return path
}

/**
 * Compares two images of the same size, each a path or its bytes, in a child process. Fails with {@link SizesDiffer}, with a
 * {@link Failure} for a file that is no image or exceeds a limit, or with the signal's reason.
 */
export const compare = async (
  reference: string | Uint8Array,
  candidate: string | Uint8Array,
  limits: CompareLimits = {},
): Promise<Comparison> => {
  limits.signal?.throwIfAborted()
  assertSharp()
  const directory = await mkdtemp(join(tmpdir(), 'whittle-'))
  try {
    const difference = join(directory, 'difference.png')
    const job = {
      reference: await inFile(directory, 'reference', reference),
      candidate: await inFile(directory, 'candidate', candidate),
      difference,
    }
    const answer = await answerOf(job, limits)
    if (answer.kind === 'failed') throw new Failure(answer.failure)
    if (answer.kind === 'different-sizes') throw new SizesDiffer(answer.message)
    if (answer.kind === 'fault') throw new Error(answer.message)
    return { ...answer.comparison, difference: await readFile(difference) }
  } finally {
    await removeDirectory(directory)
  }
}
