import type { Answer } from '../../jobs/answer.ts'
import { makePlan } from '../../plan/make-plan.ts'
import type { Plan } from '../../plan/plan.ts'
import { identify } from '../../source/identify.ts'
import type { Spooled } from '../../source/spool.ts'
import { staged } from '../../support/stages.ts'
import { allowedAccept } from '../accounts/access-right.ts'
import { type Admitted, admit } from '../accounts/admit.ts'
import { limitsOf } from '../accounts/limits-of.ts'
import { rememberSource } from '../deliver/delivery-source.ts'
import type { OptimiseRequest, Service } from '../service.ts'
import type { Task } from '../task.ts'
import { receiveWithinCaps } from './receive-within-caps.ts'
import { resolveResult } from './resolve-result.ts'
import { respond, servedOf } from './respond.ts'
import { answerAtTimeout } from './timeout-answer.ts'

/** Step 2: fetches or receives the source into a spool file. */
export const acquire = async (
  service: Service,
  request: OptimiseRequest,
  { account, url }: Admitted,
): Promise<Spooled> => {
  const { maxBytes } = limitsOf(service, account)
  const limits = { maxBytes, signal: request.signal, owner: account.username }
  const source = { account: account.username, maxBytes, signal: request.signal }
  return receiveWithinCaps(service, source, () =>
    url === undefined ? request.receive(limits) : service.fetch(url, limits),
  )
}

/** Inputs of a plan. */
interface PlanInputs extends Pick<Task, 'account' | 'options' | 'facts'> {
  readonly accept: OptimiseRequest['accept']
}

/** Step 4: decides the plan from the header, without pixels. */
export const planFor = (service: Service, { account, options, facts, accept }: PlanInputs): Plan => {
  const allowed = allowedAccept(account, accept)
  return makePlan(options, facts, {
    limits: limitsOf(service, account),
    acceptWebp: allowed.webp,
    acceptAvif: allowed.avif,
    acceptJxl: allowed.jxl,
    canEncodeAnimatedAvif: service.settings.canEncodeAnimatedAvif,
    effort: service.settings.effort,
  })
}

/** Runs all steps of a request: admit, acquire, identify, plan, resolve, respond. Fails with a Failure, or with the signal's reason. */
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
  const facts = await identify(spooled.path, spooled)
  const plan = planFor(service, { ...admitted, facts, accept: request.accept })
  const task: Task = { ...admitted, request, spooled, facts, stages, plan }
  const { answer, charge, ...keys } = await resolveResult(service, task)
  await rememberSource(service, task, keys)
  const responded = respond(task, answer ?? (await answerAtTimeout(task)), charge)
  if (charge) admitted.reservation.charge()
  if (answer !== undefined) service.observe.served(servedOf(task.account, facts.bytes, answer))
  return responded
}
