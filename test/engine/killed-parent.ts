import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deadlineIn } from '../../src/core/deadline.ts'
import { findConfinement, UNCONFINED } from '../../src/engine/pool/confinement/confinement.ts'
import { openPool } from '../../src/engine/pool/pool.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import { identify } from '../../src/source/identify.ts'
import { LIMITS } from '../plan-samples.ts'

// Works on a slow image and prints the child's process id. The test then kills this process.

const [confined = '', directory = ''] = process.argv.slice(2)
const path = join(import.meta.dirname, '../fixtures/jpeg/testdata__flower_small.q85_420_non_interleaved.jpg')
const parsed = parseOptions('1600,fit,format=avif,quality=high', { maxTimeout: 60 })
if (parsed.kind === 'wrong') throw parsed.failure
const facts = await identify(path)
const context = { limits: LIMITS, acceptWebp: false, acceptAvif: false, canEncodeAnimatedAvif: false }
const job = { path, facts, plan: makePlan(parsed.options, facts, context), directory }
const confinement = confined === 'true' ? await findConfinement({ memoryLimit: 9e9 }) : UNCONFINED
const pool = openPool({ workers: 1, queueLimit: 1, maxJobs: 9, maxMemory: 9e9, memoryLimit: 9e9, confinement })
await pool.run(job, deadlineIn(60_000), {
  account: 'anna',
  stage: (name) => {
    if (name === 'survey') console.log(readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim())
  },
})
