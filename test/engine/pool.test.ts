import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import { UNCONFINED } from '../../src/engine/pool/confinement/confinement.ts'
import { openPool, type Pool, type PoolSettings } from '../../src/engine/pool/pool.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { makePlan } from '../../src/plan/make-plan.ts'
import { identify } from '../../src/source/identify.ts'

const SAMPLE = fileURLToPath(new URL('../../docs/sample.png', import.meta.url))
const KILLED_PARENT = join(import.meta.dirname, 'killed-parent.ts')
const FORSAKEN_CHILD = join(import.meta.dirname, 'forsaken-child.ts')
const LIMITS = { maxBytes: 5e7, maxPixels: 1e8, maxSide: 10000, maxTotalPixels: 1e9 }

let directory: string
let pool: Pool
/** Children that this process had before: other tests share it, and their compilers are no part of the pool. */
let others: ReadonlySet<number> = new Set()
const anna = { account: 'anna' }
const restarts: string[] = []
const SETTINGS: PoolSettings = {
  workers: 1,
  queueLimit: 10,
  maxJobs: 100,
  maxMemory: 1e9,
  memoryLimit: 2e9,
  confinement: UNCONFINED,
  onRestart: (why) => void restarts.push(why),
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-pool-'))
  others = new Set(childrenHere())
  pool = openPool(SETTINGS)
})

afterAll(async () => {
  await pool.close()
  await rm(directory, { recursive: true, force: true })
})

const jobOf = async (path: string, options = '30') => {
  const parsed = parseOptions(options, { maxTimeout: 30 })
  if (parsed.kind === 'wrong') throw parsed.failure
  const facts = await identify(path)
  const context = { limits: LIMITS, acceptWebp: false, acceptAvif: false, canEncodeAnimatedAvif: false }
  // A request to stop is a file in the job's directory: jobs cannot share one.
  return {
    path,
    facts,
    plan: makePlan(parsed.options, facts, context),
    directory: await mkdtemp(join(directory, 'job-')),
  }
}

/** AVIF, whose search takes longer than this process needs to receive a stage and to act. */
const SLOW = '300,format=avif'

/** About a second of work, which outlasts a message that a busy machine delays. */
const SLOWER = '900,fit,format=avif,quality=high'

/** Many seconds of work. */
const LONG = '2400,fit,format=avif,quality=high'

/** Ids of the processes that the pool has started; asked at once, for a moment later the job may be done. */
const childrenHere = (): readonly number[] => {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    if (others.has(pid)) return false
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === process.pid
    } catch {
      return false // it has ended meanwhile
    }
  })
}

/** Ends the child by a signal, the first `times` times that it reports a decoded image. */
const ending = (signal: NodeJS.Signals, times: number) => {
  let left = times
  return {
    account: 'anna',
    stage: (name: string): void => {
      if (name !== 'decode' || left === 0) return
      left -= 1
      for (const pid of childrenHere()) process.kill(pid, signal)
    },
  }
}

test('a job whose child crashes is done by another one', async () => {
  restarts.length = 0
  const result = await pool.run(await jobOf(SAMPLE, SLOW), deadlineIn(60_000), ending('SIGSEGV', 1))
  expect([result.width, restarts]).toEqual([300, ['crashed']])
})

test('an image that crashes two children is refused as damaged, and the next job is done', async () => {
  restarts.length = 0
  await expect(pool.run(await jobOf(SAMPLE, SLOWER), deadlineIn(60_000), ending('SIGSEGV', 2))).rejects.toMatchObject({
    code: 'SOURCE_DAMAGED',
  })
  expect(restarts).toEqual(['crashed', 'crashed'])
  expect((await pool.run(await jobOf(SAMPLE), deadlineIn(60_000), anna)).width).toBe(30)
})

test('an image whose children are killed from outside is tried again', async () => {
  restarts.length = 0
  const result = await pool.run(await jobOf(SAMPLE, SLOW), deadlineIn(60_000), ending('SIGKILL', 2))
  expect([result.width, restarts]).toEqual([300, ['crashed', 'crashed']])
  await expect(pool.run(await jobOf(SAMPLE, SLOWER), deadlineIn(60_000), ending('SIGKILL', 3))).rejects.toMatchObject({
    code: 'WORKERS_LOST',
    status: 503,
  })
})

test('a child that exceeds its memory is killed, and its image is not tried again', async () => {
  restarts.length = 0
  const small = openPool({ ...SETTINGS, memoryLimit: 40e6 })
  await expect(small.run(await jobOf(SAMPLE), deadlineIn(60_000), anna)).rejects.toMatchObject({
    code: 'IMAGE_TOO_COMPLEX',
    status: 422,
  })
  expect(restarts).toEqual(['crashed'])
  await small.close()
})

test('an idle child with much memory is replaced, and one with little is kept', async () => {
  restarts.length = 0
  const modest = openPool({ ...SETTINGS, restMemory: 1e12, restMs: 50 })
  await modest.run(await jobOf(SAMPLE), deadlineIn(60_000), anna)
  const before = childrenHere()
  const greedy = openPool({ ...SETTINGS, restMemory: 1, restMs: 50 })
  await greedy.run(await jobOf(SAMPLE), deadlineIn(60_000), anna)
  const [left] = childrenHere().filter((pid) => !before.includes(pid))
  await vi.waitUntil(() => !childrenHere().includes(left!), { timeout: 20_000 })
  expect([restarts, before.filter((pid) => !childrenHere().includes(pid))]).toEqual([['recycled'], []])
  expect((await greedy.run(await jobOf(SAMPLE), deadlineIn(60_000), anna)).width).toBe(30)
  await Promise.all([modest.close(), greedy.close()])
})

test('a child whose job is abandoned is kept if it stops by itself', async () => {
  // Longer than a trial takes on the busiest machine.
  const patient = openPool({ ...SETTINGS, stopMs: 20_000 })
  await patient.run(await jobOf(SAMPLE), deadlineIn(60_000), anna)
  restarts.length = 0
  const before = childrenHere()
  const leaving = new AbortController()
  const gone = patient.run(await jobOf(SAMPLE, SLOW), deadlineIn(60_000, leaving.signal), {
    account: 'anna',
    stage: (name) => void (name === 'decode' && leaving.abort(new Error('gone'))),
  })
  await expect(gone).rejects.toThrow('gone')
  expect((await patient.run(await jobOf(SAMPLE), deadlineIn(60_000), anna)).width).toBe(30)
  expect([restarts, childrenHere()]).toEqual([[], before])
  await patient.close()
})

test('an account with one image is served next, even if another account has many waiting', async () => {
  const done: string[] = []
  const jobs = await Promise.all(Array.from({ length: 6 }, () => jobOf(SAMPLE)))
  const asks = jobs.map((job, i) => {
    const account = i < 5 ? 'anna' : 'bert'
    return pool.run(job, deadlineIn(60_000), { account, queued: () => void done.push(account) })
  })
  await Promise.all(asks)
  expect(done).toHaveLength(6)
  expect(done.indexOf('bert')).toBeLessThanOrEqual(2)
})

test('an account that abandons its work waits until other accounts were served three times that work', async () => {
  const shared = openPool(SETTINGS)
  const since = performance.now()
  await shared.run(await jobOf(SAMPLE, SLOW), deadlineIn(60_000), { account: 'bert' })
  const shortMs = performance.now() - since
  const leaving = new AbortController()
  const begun = Promise.withResolvers<number>()
  const gone = shared.run(await jobOf(SAMPLE, LONG), deadlineIn(60_000, leaving.signal), {
    account: 'anna',
    queued: begun.resolve,
  })
  await begun.promise
  const order: string[] = []
  const jobs = await Promise.all(Array.from({ length: 4 }, () => jobOf(SAMPLE, SLOW)))
  const asks = jobs.map((job, i) => {
    const account = i === 0 ? 'anna' : 'bert'
    return shared.run(job, deadlineIn(60_000), { account, queued: () => void order.push(account) })
  })
  setTimeout(() => leaving.abort(new Error('gone')), shortMs)
  await expect(gone).rejects.toThrow('gone')
  await Promise.all(asks)
  expect(order).toEqual(['bert', 'bert', 'bert', 'anna'])
  await shared.close()
})

test('background work yields to work that a client waits for', async () => {
  let isAtWork = false
  const background = pool.run(await jobOf(SAMPLE, LONG), deadlineIn(60_000), {
    account: 'anna',
    background: true,
    queued: () => {
      isAtWork = true
    },
  })
  const outcome = background.then(
    () => 'done',
    (error: Error) => error.message,
  )
  await expect.poll(() => isAtWork, { interval: 2 }).toBe(true)
  expect((await pool.run(await jobOf(SAMPLE), deadlineIn(60_000), anna)).width).toBe(30)
  expect(await outcome).toBe('a client waits for this worker')
})

test('a full queue accepts a modest account, at the cost of the account that fills it', async () => {
  const tight = openPool({ ...SETTINGS, queueLimit: 3 })
  let refused = 0
  const leaving = new AbortController()
  const ask = async (account: string, options?: string) =>
    tight
      .run(await jobOf(SAMPLE, options), deadlineIn(60_000, options === undefined ? undefined : leaving.signal), {
        account,
      })
      .then(
        () => `${account} served`,
        (error) => {
          refused += Number(error.code === 'OVERLOADED')
          return `${account} ${error.code}`
        },
      )
  const greedy = [ask('anna', LONG), ...Array.from({ length: 4 }, () => ask('anna'))]
  await expect.poll(tight.depth).toBe(3)
  expect([tight.refusal('anna', 60_000), tight.refusal('bert', 60_000)]).toEqual([expect.any(Number), undefined])
  const modest = ask('bert')
  // One of anna's jobs was refused at once, and another one makes way.
  await expect.poll(() => refused).toBe(2)
  leaving.abort()
  const outcomes = await Promise.all([modest, ...greedy])
  expect(outcomes.filter((outcome) => outcome === 'bert served')).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome === 'anna OVERLOADED')).toHaveLength(2)
  await tight.close()
})

test('a job that would wait too long is refused at once with Retry-After, except the first sixteen of an account', async () => {
  const busy = openPool({ ...SETTINGS, queueLimit: 100 })
  const leaving = new AbortController()
  const ask = async (options?: string) =>
    busy.run(await jobOf(SAMPLE, options), deadlineIn(60_000, leaving.signal), anna).catch(() => undefined)
  // The first job shows how long one takes.
  await ask()
  expect(busy.refusal('anna', 1)).toBeUndefined()
  const waiting = Array.from({ length: 16 }, () => ask(LONG))
  await expect.poll(busy.depth).toBe(15)
  expect(busy.refusal('anna', 1)).toBeUndefined()
  waiting.push(ask(LONG))
  await expect.poll(busy.depth).toBe(16)
  const [soon, late] = [busy.refusal('anna', 1), busy.refusal('anna', 500)]
  expect(soon).toBeGreaterThanOrEqual(late!)
  expect(late).toBeGreaterThan(0)
  expect([busy.refusal('anna', 3_600_000), busy.refusal('bert', 1)]).toEqual([undefined, undefined])
  leaving.abort()
  await Promise.all(waiting)
  await busy.close()
})

test.each([
  ['the system ends', true],
  ['a watch of their own ends', false],
])('children do not outlive their parent, even at work: %s them', async (_, confined) => {
  const parent = spawn(process.execPath, [KILLED_PARENT, String(confined), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = (await once(parent.stdout, 'data')) as [Buffer]
  const child = Number(said.toString())
  expect(readFileSync(`/proc/${child}/cmdline`, 'utf8')).toContain('worker')
  parent.kill('SIGKILL')
  await expect.poll(() => existsSync(`/proc/${child}`)).toBe(false)
})

test('a child whose parent dies while it starts ends without an error message', async () => {
  const parent = spawn(process.execPath, [FORSAKEN_CHILD], { stdio: ['ignore', 'pipe', 'pipe'] })
  const errors: Buffer[] = []
  parent.stderr.on('data', (piece: Buffer) => errors.push(piece))
  const [said] = (await once(parent.stdout, 'data')) as [Buffer]
  const child = Number(said.toString())
  await once(parent, 'exit')
  process.kill(child, 'SIGCONT')
  // The child holds its end of the error output until it has ended.
  await once(parent, 'close')
  expect(Buffer.concat(errors).toString()).toBe('')
})
