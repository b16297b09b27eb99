/** A bare loop over images, one of several processes: receives options and files, and sends the time of each. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { deadlineIn } from '../../src/core/deadline.ts'
import { optimise } from '../../src/engine/child/optimise.ts'
import type { Options } from '../../src/options/options.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import { identify } from '../../src/source/identify.ts'

/** Work of a bare loop on each image. */
export type Work = 'engine' | 'mozjpeg'

export interface Errand {
  readonly work: Work
  readonly options: string
  readonly path: string
}

export interface Done {
  readonly ms: number
  readonly bytes: number
  /** CPU seconds of this process since it started. */
  readonly cpu: number
}

const LIMITS = { maxBytes: 5e7, maxPixels: 1e8, maxSide: 10000, maxTotalPixels: 1e9 }

const readOptions = (list: string): Options => {
  const parsed = parseOptions(list, { maxTimeout: 30 })
  if (parsed.kind === 'wrong') throw parsed.failure
  return parsed.options
}

const byEngine = async ({ path, options: list }: Errand): Promise<number> => {
  const directory = await mkdtemp(join(tmpdir(), 'whittle-load-'))
  try {
    const facts = await identify(path)
    const context = { limits: LIMITS, acceptWebp: false, acceptAvif: false, canEncodeAnimatedAvif: false }
    const plan = makePlan(readOptions(list), facts, context)
    const budget = 30_000
    const report = { deadline: deadlineIn(budget), offer: () => undefined, stage: () => undefined }
    const result = await optimise({ path, facts, plan, directory, budget }, report)
    return (await readFile(result.path)).length
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Work of a service around sharp alone: one encode at a fixed setting, no look at the result. */
const byMozjpeg = async ({ path, options: list }: Errand): Promise<number> => {
  const { resize } = readOptions(list)
  const image = sharp(path, { autoOrient: true })
  if (resize.kind === 'box') {
    const { density, width, height } = resize
    const side = (px: number | undefined): number | null => (px === undefined ? null : px * density)
    image.resize(side(width), side(height), { fit: 'inside', withoutEnlargement: true })
  }
  return (await image.jpeg({ mozjpeg: true, quality: 75 }).toBuffer()).length
}

const WORKS: Readonly<Record<Work, (errand: Errand) => Promise<number>>> = { engine: byEngine, mozjpeg: byMozjpeg }

sharp.concurrency(1)
process.on('message', async (errand: Errand) => {
  const since = performance.now()
  const bytes = await WORKS[errand.work](errand)
  const { user, system } = process.cpuUsage()
  const done: Done = { ms: performance.now() - since, bytes, cpu: (user + system) / 1e6 }
  process.send?.(done)
})
process.on('disconnect', () => process.exit(0))
