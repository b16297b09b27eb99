import type { Answer } from '../jobs/answer.ts'
import type { TicketRequest } from '../ports/jobs.ts'
import { deliverImage } from './deliver/deliver-image.ts'
import { deliverInformation, describeImage } from './describe/describe-image.ts'
import { optimiseImage } from './optimise/optimise-image.ts'
import type { OptimiseRequest, Service } from './service.ts'

type Work = (service: Service, request: OptimiseRequest) => Promise<Answer>

/** Kinds of work by their names in tickets. */
const WORK: ReadonlyMap<TicketRequest['work'], Work> = new Map([
  ['optimise', optimiseImage],
  ['describe', describeImage],
  ['deliver', deliverImage],
  ['deliver information', deliverInformation],
])

/** Runs the kind of work of a ticket. Default: `optimise`, since tickets of an earlier version have none. */
export const runWork = (service: Service, work: TicketRequest['work'], request: OptimiseRequest): Promise<Answer> =>
  (WORK.get(work) ?? optimiseImage)(service, request)
