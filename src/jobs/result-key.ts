import { createHash, createHmac } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Plan } from '../plan/plan.ts'

/** Raise it when the engine makes better or different results from the same input: older results are then left alone. */
const ENGINE_GENERATION = 3

/** SHA-256 of a file, hex. */
export const digestFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** What makes two requests the same work. */
export interface Identity {
  /** SHA-256 of the source's bytes, hex. */
  readonly source: string
  readonly plan: Plan
  /** Only this account may share the result (§5.3); absent: everybody. */
  readonly owner?: string
}

/**
 * The name of a result: 256 bits, hex, made with a secret of this installation, so that nobody who knows the source and
 * the options can work out where its result is kept. `timeout` is no part of it (§5.2), nor is the order of options.
 */
export const resultKey = (secret: Uint8Array, identity: Identity): string => {
  const { warnings: _warnings, ...plan } = identity.plan
  return createHmac('sha256', secret)
    .update(JSON.stringify([ENGINE_GENERATION, identity.source, plan, identity.owner ?? null]))
    .digest('hex')
}
