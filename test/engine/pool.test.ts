import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import { openPool, type Pool } from '../../src/engine/pool/pool.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import { identify } from '../../src/source/identify.ts'

const SAMPLE = fileURLToPath(new URL('../../docs/sample.png', import.meta.url))
const LIMITS = { maxBytes: 5e7, maxPixels: 1e8, maxSide: 10000, maxTotalPixels: 1e9 }

let directory: string
let pool: Pool
const restarts: string[] = []

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-pool-'))
  pool = openPool({
    workers: 1,
    queueLimit: 1,
    maxJobs: 100,
    maxMemory: 1e9,
    onRestart: (why) => void restarts.push(why),
  })
})

afterAll(async () => {
  await pool.close()
  await rm(directory, { recursive: true, force: true })
})

/** AVIF, whose search takes longer than this process ever needs to hear of a stage and to act. */
const jobOf = async (path: string) => {
  const parsed = parseOptions('300,format=avif', { maxTimeout: 30 })
  if (parsed.kind === 'wrong') throw parsed.failure
  const facts = await identify(path)
  const context = { limits: LIMITS, acceptWebp: false, acceptAvif: false, canEncodeAnimatedAvif: false }
  return { path, facts, plan: makePlan(parsed.options, facts, context), directory }
}

/** Ids of the processes that the pool has started; asked at once, for a moment later the job may be done. */
const childrenHere = (): readonly number[] => {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === process.pid
    } catch {
      return false // it has ended meanwhile
    }
  })
}

/** Ends the child as a crash in a decoder would, the first `times` times that it has decoded something. */
const crashing = (times: number) => {
  let left = times
  return {
    stage: (name: string): void => {
      if (name !== 'decode' || left === 0) return
      left -= 1
      for (const pid of childrenHere()) process.kill(pid, 'SIGSEGV')
    },
  }
}

test('a job whose child crashes is done by another one', async () => {
  restarts.length = 0
  const made = await pool.run(await jobOf(SAMPLE), deadlineIn(30_000), crashing(1))
  expect([made.width, restarts]).toEqual([300, ['crashed']])
})

test('an image that two children crash on is too damaged, and the next job is done', async () => {
  restarts.length = 0
  await expect(pool.run(await jobOf(SAMPLE), deadlineIn(30_000), crashing(2))).rejects.toMatchObject({
    code: 'SOURCE_DAMAGED',
  })
  expect(restarts).toEqual(['crashed', 'crashed'])
  expect((await pool.run(await jobOf(SAMPLE), deadlineIn(30_000))).width).toBe(300)
})
