/** Two accounts on one node: one waits for its images, the other abandons each of its requests. Uses the queue and the active accounts of the pool. */

import { openActiveAccounts } from '../../src/engine/pool/queue/active-accounts.ts'
import { type JobCost, openFairQueue } from '../../src/engine/pool/queue/fair-queue.ts'
import { makeAgenda } from './heap.ts'

/** Requests of two accounts; times in ms. */
export interface Rivalry {
  readonly workers: number
  /** Estimated cost of each image in megapixels of JPEG, and ms of a worker for each megapixel. */
  readonly cost: number
  readonly msPerCost: number
  /** Requests that each account has open at any time. */
  readonly patient: number
  readonly impatient: number
  /** ms of work after which the impatient account leaves. */
  readonly leavesAfter: number
  /** ms in which a killed child is replaced. */
  readonly restart: number
}

/** Ratio of the time that another account's abandoned work is charged to the time it took. */
const CHARGED = 3
const HOUR = 3_600_000

/** The share of the workers' time in an hour that each account gets. */
export const shareOut = (rivalry: Rivalry): { readonly patient: number; readonly impatient: number } => {
  const { workers, cost, msPerCost, leavesAfter, restart } = rivalry
  const agenda = makeAgenda()
  let now = 0
  let running = 0
  const spent = { patient: 0, impatient: 0 }
  type Account = keyof typeof spent
  const queue = openFairQueue<Account>()
  const active = openActiveAccounts(workers, queue.isInDebt, () => now)
  const isAccount = (name: string): name is Account => name in spent
  const ask = (account: Account): void => {
    active.seen(account)
    queue.add(account, { account, cost })
  }
  const begin = (account: Account): void => {
    const leaves = account === 'impatient'
    const ms = leaves ? leavesAfter + restart : cost * msPerCost
    running += 1
    active.began(account)
    const end = (): void => {
      running -= 1
      spent[account] += ms
      if (leaves) abandoned({ account, cost: ms / msPerCost })
      active.ended(account)
      ask(account)
    }
    agenda.add({ at: now + ms, happen: end })
  }
  const abandoned = ({ account, cost: spentCost }: JobCost): void =>
    queue.charge({ account, cost: CHARGED * spentCost })
  const serve = (): void => {
    while (running < workers) {
      const next = queue.next(active.mayRun)
      if (next === undefined || !isAccount(next)) return
      begin(next)
    }
  }
  for (let i = 0; i < rivalry.impatient; i += 1) ask('impatient')
  for (let i = 0; i < rivalry.patient; i += 1) ask('patient')
  serve()
  for (let event = agenda.next(); event !== undefined && event.at < HOUR; event = agenda.next()) {
    now = event.at
    event.happen()
    serve()
  }
  return { patient: spent.patient / HOUR / workers, impatient: spent.impatient / HOUR / workers }
}
