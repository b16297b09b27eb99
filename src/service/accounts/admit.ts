import { randomUUID } from 'node:crypto'
import { fail } from '../../core/failure.ts'
import type { Account } from '../../ports/accounts.ts'
import type { OptimiseRequest, Service } from '../service.ts'
import { usedUp } from './authorise.ts'
import { type ReadRequest, readRequest } from './read-request.ts'

/** One image's reservation of quota: released when it is disposed of, unless it was to be charged. */
export interface Reservation extends AsyncDisposable {
  /** From here on the image is paid for. */
  readonly charge: () => void
}

/** A request that may cost work: what it asks for, and the quota that is held for it. */
export interface Admitted extends ReadRequest, AsyncDisposable {
  readonly reservation: Reservation
}

/** Work may take longer than a reservation is held for by itself: that is for processes that were killed. */
const RENEW_MS = 60_000

/** The charge of a request, and the time limit of its work. */
export interface Payment {
  /** Reservations under the same id are charged once. */
  readonly id: string
  /** Several that are at work for clients of their own may hold it together: see {@link Holder}. */
  readonly jointly?: boolean
  /** seconds */
  readonly timeout: number
  /** {@link admitNew} has judged it already, before the fetch: it counts as one request. */
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
  const renewing = setInterval(renew, RENEW_MS).unref()
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

/** Counts a request of an account whose work may take `timeout` seconds. Fails with 429, 503 in this order. */
const admitPace = async (service: Service, account: Account, timeout: number): Promise<void> => {
  const rate = account.limits.rate ?? service.settings.rateLimit
  if (rate > 0 && !(await service.allow(account.username, rate))) throw fail('TOO_MANY_REQUESTS', rate)
  // Said at once, before anything is fetched for it (§7).
  const again = service.pool.refusal(account.username, timeout * 1000)
  if (again !== undefined) throw fail('OVERLOADED', again)
}

/** Whose new result is delivered live, and by what right. */
export interface NewResult {
  readonly account: Account
  readonly right: 'listed' | 'signed'
  /** seconds that its work may take */
  readonly timeout: number
}

/**
 * Counts a result that live delivery has to make (§8.3). Anyone can make up an unsigned address: call this before the
 * source is fetched. Fails with 429, 503, 402 in this order.
 */
export const admitNew = async (service: Service, { account, right, timeout }: NewResult): Promise<void> => {
  const { rate } = service.settings.delivery
  const isFree = right === 'signed' || rate === 0 || (await service.allow(`${account.username} unsigned`, rate))
  if (!isFree) throw fail('TOO_MANY_NEW', rate)
  await admitPace(service, account, timeout)
  if (account.quota !== undefined && account.used >= account.quota) throw usedUp(account)
}

/**
 * Admits work of an account and reserves one image of its quota under the request's id. Fails with 429, 503, 402 in this order.
 * Dispose of the reservation that it returns.
 */
export const admitWork = async (service: Service, account: Account, payment: Payment): Promise<Reservation> => {
  if (payment.isAdmitted !== true) await admitPace(service, account, payment.timeout)
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

/**
 * Step 1: whether this request may cost work at all (§6: 403, 400, 404, 429, 503, 402 in this order). What it returns holds
 * one image of the account's quota until it is disposed of.
 */
export const admit = async (service: Service, request: OptimiseRequest): Promise<Admitted> => {
  const read = await readRequest(service, request)
  const reservation = await admitWork(service, read.account, { id: request.id, timeout: read.options.timeout })
  return { ...read, reservation, [Symbol.asyncDispose]: () => reservation[Symbol.asyncDispose]() }
}
