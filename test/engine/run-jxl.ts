import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deadlineIn } from '../../src/core/deadline.ts'
import type { Raster } from '../../src/core/image.ts'
import type { ResultFile } from '../../src/core/outcome.ts'
import { makePixels } from '../../src/engine/child/make-pixels.ts'
import { optimise } from '../../src/engine/child/optimise.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import { identify } from '../../src/source/identify.ts'
import { LIMITS } from '../plan-samples.ts'

/** The engine's result of a source, its bytes, and the reference pixels. */
export interface JxlRun {
  readonly result: ResultFile
  readonly bytes: Uint8Array
  readonly pixels: Raster
}

/** Sends bytes through planning and the engine; sharp reads no JPEG XL, so that the caller decodes the result. */
export const runForJxl = async (source: Uint8Array, options: string, acceptJxl = false): Promise<JxlRun> => {
  const directory = await mkdtemp(join(tmpdir(), 'engine-jxl-'))
  try {
    const path = join(directory, 'source')
    await writeFile(path, source)
    const parsed = parseOptions(options, { maxTimeout: 60 })
    if (parsed.kind === 'wrong') throw parsed.failure
    const facts = await identify(path)
    const accepted = { acceptWebp: false, acceptAvif: false, acceptJxl, canEncodeAnimatedAvif: false }
    const plan = makePlan(parsed.options, facts, { limits: LIMITS, ...accepted })
    const job = { path, facts, plan, directory, budget: 60_000 }
    const report = { stage: () => undefined, deadline: deadlineIn(60_000), offer: () => undefined }
    const result = await optimise(job, report)
    const { pixels } = await makePixels(job, report)
    return { result, bytes: await readFile(result.path), pixels }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
