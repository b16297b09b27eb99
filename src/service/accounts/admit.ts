import { randomUUID } from 'node:crypto'
import { fail } from '../../core/failure.ts'
import { MINUTE_MS } from '../../core/units.ts'
import type { Account } from '../../ports/accounts.ts'
import type { OptimiseRequest, Service } from '../service.ts'
import { usedUp } from './authorise.ts'
import { type ReadRequest, readRequest } from './read-request.ts'

/** A reservation of one image of quota. Disposal releases it, or charges it after `charge`. */
export interface Reservation extends AsyncDisposable {
  /** Makes disposal charge the image. */
  readonly charge: () => void
}

/** A parsed request with a reservation of quota. */
export interface Admitted extends ReadRequest, AsyncDisposable {
  readonly reservation: Reservation
}

/** The charge of a request, and the time limit of its work. */
export interface Payment {
  /** Reservations under the same id are charged once. */
  readonly id: string
  /** Whether several requests may share the reservation; see {@link Holder}. */
  readonly jointly?: boolean
  /** Time limit in seconds. */
  readonly timeout: number
  /** Whether {@link admitNewResult} has counted the request before the fetch. */
  readonly isAdmitted?: boolean
}

const reserve = async (service: Service, account: Account, payment: Payment): Promise<Reservation> => {
  const { id: requestId, jointly = false } = payment
  const { accounts, observe } = service
  const holder = randomUUID()
  if (!(await accounts.reserve(account.username, requestId, { name: holder, jointly }))) throw usedUp(account)
  let charged = false
  const renew = (): void =>
    void accounts.renew(requestId).catch((error) => observe.trouble('a reservation could not be renewed', error))
  const renewing = setInterval(renew, MINUTE_MS).unref()
  const end = (): Promise<void> => (charged ? accounts.settle(requestId) : accounts.release(requestId, holder))
  return {
    charge: () => {
      charged = true
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(renewing)
      await end().catch((error: unknown) => observe.trouble('the account could not be settled', error))
    },
  }
}

/** Counts a request whose work may take `timeout` seconds. Fails with 429, 503 in this order. */
const countRequest = async (service: Service, account: Account, timeout: number): Promise<void> => {
  const rate = account.limits.rate ?? service.settings.rateLimit
  if (rate > 0 && !(await service.allow(account.username, rate))) throw fail('TOO_MANY_REQUESTS', rate)
  // An overloaded service refuses before it fetches the source (§7).
  const again = service.pool.refusal(account.username, timeout * 1000)
  if (again !== undefined) throw fail('OVERLOADED', again)
}

/** A result that live delivery needs and the store lacks. */
export interface NewResult {
  readonly account: Account
  readonly right: 'listed' | 'signed'
  /** Maximum seconds of its work. */
  readonly timeout: number
}

/**
 * Counts a result that live delivery has to make (§8.3). Call this before the source is fetched, since anyone can invent an unsigned
 * address. Fails with 429, 503, 402 in this order.
 */
export const admitNewResult = async (service: Service, { account, right, timeout }: NewResult): Promise<void> => {
  const { rate } = service.settings.delivery
  const isFree = right === 'signed' || rate === 0 || (await service.allow(`${account.username} unsigned`, rate))
  if (!isFree) throw fail('TOO_MANY_NEW', rate)
  await countRequest(service, account, timeout)
  if (account.quota !== undefined && account.used >= account.quota) throw usedUp(account)
}

/**
 * Counts a request and reserves one image of quota under its id. Fails with 429, 503, 402 in this order. The caller disposes of the
 * reservation.
 */
export const admitWork = async (service: Service, account: Account, payment: Payment): Promise<Reservation> => {
  if (payment.isAdmitted !== true) await countRequest(service, account, payment.timeout)
  const counted = service.caps.enter(account.username)
  try {
    const reservation = await reserve(service, account, payment)
    const end = async (): Promise<void> => {
      counted[Symbol.dispose]()
      await reservation[Symbol.asyncDispose]()
    }
    return { charge: reservation.charge, [Symbol.asyncDispose]: end }
  } catch (error) {
    counted[Symbol.dispose]()
    throw error
  }
}

/** Step 1: parses a request and reserves one image of quota. Fails with 403, 400, 404, 429, 503, 402 in this order (§6). */
export const admit = async (service: Service, request: OptimiseRequest): Promise<Admitted> => {
  const read = await readRequest(service, request)
  const reservation = await admitWork(service, read.account, { id: request.id, timeout: read.options.timeout })
  return { ...read, reservation, [Symbol.asyncDispose]: () => reservation[Symbol.asyncDispose]() }
}
