import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { deadlineIn } from '../core/deadline.ts'
import { fail } from '../core/failure.ts'
import { CONTENT_TYPES, type OutputFormat } from '../core/image.ts'
import { MAX_WORK_MS } from '../core/intervals.ts'
import type { Progress, ResultFile } from '../core/outcome.ts'
import { UNCONFINED } from '../engine/pool/confinement/confinement.ts'
import { openPool, type Pool } from '../engine/pool/pool.ts'
import { assertSharp } from '../engine/pool/process/assert-sharp.ts'
import { parseOptions } from '../options/parse.ts'
import { makePlan } from '../plan/make-plan.ts'
import type { Limits } from '../plan/plan.ts'
import { identify } from '../source/identify.ts'
import { removeDirectory } from '../support/remove.ts'

/** A result with its measurements. */
export interface OptimisedImage {
  readonly bytes: Uint8Array
  readonly format: OutputFormat
  readonly contentType: string
  /** px */
  readonly width: number
  readonly height: number
  readonly sourceBytes: number
  /** SSIMULACRA 2.1 against the requested pixels. Absent without a comparison. */
  readonly score?: number
  /** Butteraugli's 3-norm, if measured. */
  readonly butteraugli?: number
  /** Full encodes of the search. */
  readonly encodes: number
  /** The source's own pixels or coefficients, at most stored differently. */
  readonly untouched: boolean
  /** The timeout ended the search. A longer one may give a smaller file. */
  readonly cutShort: boolean
  readonly warnings: readonly string[]
}

/** Control over one optimisation. */
export interface Work {
  readonly signal?: AbortSignal
  /** Called a few times a second with the progress of long work. */
  readonly onProgress?: (progress: Progress) => void
}

export interface OptimiserSettings {
  /** Child processes, each for one image at a time. Default: one per processor core. */
  readonly workers?: number
  /** Maximum seconds for `timeout=`, and its default. Default: 600. */
  readonly maxTimeout?: number
  readonly limits?: Partial<Limits>
}

/** Optimises images in its own child processes until it is closed. */
export interface Optimiser extends AsyncDisposable {
  /** Optimises the image in a file. Fails with a {@link Failure} that names the problem, or with the signal's reason. */
  readonly optimiseFile: (path: string, list: string, work?: Work) => Promise<OptimisedImage>
  readonly close: () => Promise<void>
}

/** Limits where the caller gives none. */
export const LIBRARY_LIMITS: Limits = {
  maxBytes: 50e6,
  maxPixels: 100e6,
  maxSide: 10_000,
  maxTotalPixels: 1e9,
  maxFrames: 10_000,
  maxDurationMs: 600e3,
}
/** A child is replaced after this number of images, or when it holds this many bytes after one. */
const WORKER = {
  /** Images. */
  maxJobs: 2000,
  /** Bytes. */
  maxMemory: 1e9,
} as const

const CUT_SHORT = 'The time allowed left no time to search further: this is the best result so far.'

/** Runs work and, when time ends it, returns the last offered result. */
const orBest = async (
  run: (offer: (result: ResultFile) => void) => Promise<ResultFile>,
  outOfTime: () => boolean,
): Promise<ResultFile> => {
  let best: ResultFile | undefined
  try {
    return await run((result) => {
      best = result
    })
  } catch (error) {
    if (!outOfTime()) throw error
    if (best === undefined) throw fail('WORK_TOO_SLOW')
    return { ...best, cutShort: true }
  }
}

const imageOf = async (
  result: ResultFile,
  warnings: readonly string[],
  sourceBytes: number,
): Promise<OptimisedImage> => ({
  bytes: await readFile(result.path),
  format: result.format,
  contentType: CONTENT_TYPES[result.format],
  width: result.width,
  height: result.height,
  sourceBytes,
  ...(result.score === undefined ? {} : { score: result.score }),
  ...butteraugliOf(result),
  encodes: result.encodes,
  untouched: result.untouched === true,
  cutShort: result.cutShort === true,
  warnings: [...warnings, ...result.warnings, ...(result.cutShort === true ? [CUT_SHORT] : [])],
})

const butteraugliOf = (result: ResultFile & { readonly butteraugli?: unknown }): { readonly butteraugli?: number } =>
  typeof result.butteraugli === 'number' ? { butteraugli: result.butteraugli } : {}

const workOn = async (
  pool: Pool,
  {
    path,
    list,
    work,
    maxTimeout,
    limits,
  }: { path: string; list: string; work: Work; maxTimeout: number; limits: Limits },
): Promise<OptimisedImage> => {
  const read = parseOptions(list, { maxTimeout, defaultTimeout: maxTimeout })
  if (read.kind === 'wrong') throw read.failure
  // A huge file is refused before it is read.
  const { size } = await stat(path)
  if (size > limits.maxBytes) throw fail('SOURCE_TOO_HEAVY', limits.maxBytes)
  const facts = await identify(path)
  const plan = makePlan(read.options, facts, {
    limits,
    acceptWebp: false,
    acceptAvif: false,
    canEncodeAnimatedAvif: false,
  })
  const directory = await mkdtemp(join(tmpdir(), 'whittle-'))
  try {
    const deadline = deadlineIn(read.options.timeout * 1000, work.signal)
    const { onProgress } = work
    const result = await orBest(
      (offer) =>
        pool.run({ path, facts, plan, directory }, deadline, {
          account: '',
          offer,
          ...(onProgress === undefined ? {} : { advance: onProgress }),
        }),
      () => deadline.signal.aborted && work.signal?.aborted !== true,
    )
    return await imageOf(result, [...read.warnings, ...plan.warnings], facts.bytes)
  } finally {
    await removeDirectory(directory)
  }
}

/** Opens an optimiser. Its child processes start on first use, and keep this process alive until it is closed. */
export const openOptimiser = (settings: OptimiserSettings = {}): Optimiser => {
  assertSharp()
  const pool = openPool({
    workers: settings.workers ?? availableParallelism(),
    queueLimit: Number.MAX_SAFE_INTEGER,
    maxJobs: WORKER.maxJobs,
    maxMemory: WORKER.maxMemory,
    // The library works on the caller's own images on the caller's own machine.
    memoryLimit: Number.POSITIVE_INFINITY,
    confinement: UNCONFINED,
  })
  const maxTimeout = settings.maxTimeout ?? MAX_WORK_MS / 1000
  const limits = { ...LIBRARY_LIMITS, ...settings.limits }
  const close = (): Promise<void> => pool.close()
  return {
    optimiseFile: (path, list, work = {}) => workOn(pool, { path, list, work, maxTimeout, limits }),
    close,
    [Symbol.asyncDispose]: close,
  }
}
