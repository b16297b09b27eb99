import type { Spooled } from '../../source/spool.ts'
import type { Service } from '../service.ts'

/** The source to receive. `signal` ends the wait for a slot. */
export interface CappedSource {
  readonly account: string
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** Returns the source with a slot that its disposal frees. */
const withSlot = (spooled: Spooled, slot: Disposable): Spooled => {
  const dispose = async (): Promise<void> => {
    slot[Symbol.dispose]()
    await spooled.dispose()
  }
  return { ...spooled, dispose, [Symbol.asyncDispose]: dispose }
}

/** Receives a source once the caps of its account allow it. Fails as `receive` does, or with TOO_MANY_AT_ONCE. */
export const receiveWithinCaps = async (
  { caps }: Pick<Service, 'caps'>,
  { account, maxBytes, signal }: CappedSource,
  receive: () => Promise<Spooled>,
): Promise<Spooled> => {
  const slot = await caps.takeSlot(account, maxBytes, signal)
  try {
    const spooled = await receive()
    slot.received(spooled.bytes)
    return withSlot(spooled, slot)
  } catch (error) {
    slot[Symbol.dispose]()
    throw error
  }
}
