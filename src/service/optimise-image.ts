import { staged } from '../core/stages.ts'
import type { Answer } from '../jobs/answer.ts'
import { makePlan } from '../plan/make-plan.ts'
import type { Limits } from '../plan/plan.ts'
import type { Account } from '../ports/accounts.ts'
import { identify } from '../source/identify.ts'
import type { Spooled } from '../source/spool.ts'
import { type Admitted, admit } from './admit.ts'
import { answerLate } from './answer-late.ts'
import { resolveResult } from './resolve-result.ts'
import { respond } from './respond.ts'
import type { OptimiseRequest, Service } from './service.ts'
import type { Task } from './task.ts'

/** The limits of the settings, overridden by the account's own (§7). */
const limitsOf = ({ settings }: Service, { limits }: Account): Limits => ({
  ...settings.limits,
  ...(limits.maxBytes === undefined ? {} : { maxBytes: limits.maxBytes }),
  ...(limits.maxPixels === undefined ? {} : { maxPixels: limits.maxPixels }),
  ...(limits.maxSide === undefined ? {} : { maxSide: limits.maxSide }),
})

/** Step 2: the source in a spool file, fetched or received. */
const acquire = async (service: Service, request: OptimiseRequest, { account, url }: Admitted): Promise<Spooled> => {
  const { maxBytes } = limitsOf(service, account)
  const limits = { maxBytes, signal: request.signal, owner: account.username }
  return url === undefined ? await request.receive(limits) : await service.fetch(url, limits)
}

/** Step 4: what is to be done, decided without pixels. */
const planFor = (service: Service, request: OptimiseRequest, task: Omit<Task, 'plan'>): Task => {
  const plan = makePlan(task.options, task.facts, {
    limits: limitsOf(service, task.account),
    acceptWebp: request.accept.webp,
    acceptAvif: request.accept.avif,
    canEncodeAnimatedAvif: service.settings.canEncodeAnimatedAvif,
  })
  return { ...task, plan }
}

/** The whole way of one request: admit, acquire, identify, plan, resolve, respond. Fails with a Failure, or with the signal's reason. */
export const optimiseImage = async (service: Service, request: OptimiseRequest): Promise<Answer> => {
  await using admitted = await admit(service, request)
  const stages: Record<string, number> = {}
  const stage = (name: string, ms: number): void => {
    stages[name] = ms
    service.observe.stage(name, ms)
  }
  const source = admitted.url === undefined ? 'upload' : 'fetch'
  await using spooled = await staged({ stage }, source, () => acquire(service, request, admitted))
  request.onSource(spooled)
  const facts = await identify(spooled.path)
  const task = planFor(service, request, { ...admitted, request, spooled, facts, stages })
  const { answer, charge } = await resolveResult(service, task)
  const responded = respond(task, answer ?? (await answerLate(task)), charge)
  if (charge) admitted.reservation.charge()
  return responded
}
