import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import { UNCONFINED } from '../../src/engine/pool/confinement/confinement.ts'
import { openPool } from '../../src/engine/pool/pool.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import { identify } from '../../src/source/identify.ts'
import { LIMITS } from '../plan-samples.ts'
import { scratchDirectory } from '../scratch.ts'

const svg = (content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="500" height="500">${content}</svg>`

/** Minutes of work for librsvg, in 400 KB. */
const ENDLESS = svg('<rect width="100%" height="100%" style="mix-blend-mode:luminosity" fill="red"/>'.repeat(50_000))
const MODEST = svg('<circle r="200" fill="red"/>')

it('a drawing that takes more CPU than its budget is refused long before the deadline, and its child replaced', async () => {
  const directory = await scratchDirectory('drawing-budget')
  const restarts: string[] = []
  await using closing = new AsyncDisposableStack()
  const pool = openPool({
    ...{ workers: 1, queueLimit: 10, maxJobs: 100, maxMemory: 2e9, memoryLimit: 2e9, confinement: UNCONFINED },
    onRestart: (why) => void restarts.push(why),
  })
  closing.defer(pool.close)
  const run = async (markup: string) => {
    const path = join(directory, 'source.svg')
    await writeFile(path, markup)
    const facts = await identify(path)
    const parsed = parseOptions('400,format=png', { maxTimeout: 30 })
    if (parsed.kind === 'wrong') throw parsed.failure
    const context = { limits: LIMITS, acceptWebp: false, acceptAvif: false, canEncodeAnimatedAvif: false }
    const plan = makePlan(parsed.options, facts, context)
    return pool.run({ path, facts, plan, directory }, deadlineIn(300_000), { account: 'anna' })
  }
  await expect(run(ENDLESS)).rejects.toMatchObject({ code: 'SVG_TOO_COMPLEX' })
  expect(restarts).toEqual(['killed'])
  expect(await run(MODEST)).toMatchObject({ format: 'png' })
}, 310_000)
