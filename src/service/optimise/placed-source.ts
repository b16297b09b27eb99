import type { Spooled } from '../../source/spool.ts'
import type { Service } from '../service.ts'

/** Whose source is received, and how long it is waited for. */
export interface PlaceRequest {
  readonly account: string
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** A source whose place in its account's share ends with its file. */
const withPlace = (spooled: Spooled, place: Disposable): Spooled => {
  const dispose = async (): Promise<void> => {
    place[Symbol.dispose]()
    await spooled.dispose()
  }
  return { ...spooled, dispose, [Symbol.asyncDispose]: dispose }
}

/** Receives a source once its account has a place for it; fails as `receive` does, or with TOO_MANY_AT_ONCE. */
export const receivePlaced = async (
  { caps }: Pick<Service, 'caps'>,
  { account, maxBytes, signal }: PlaceRequest,
  receive: () => Promise<Spooled>,
): Promise<Spooled> => {
  const place = await caps.place(account, maxBytes, signal)
  try {
    const spooled = await receive()
    place.received(spooled.bytes)
    return withPlace(spooled, place)
  } catch (error) {
    place[Symbol.dispose]()
    throw error
  }
}
