import { createHash, createHmac } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Plan } from '../plan/plan.ts'

/** Raise this when the engine makes different results or descriptions from the same input. Older ones are then ignored. */
export const ENGINE_GENERATION = 16

/** SHA-256 of a file, hex. */
export const digestFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** The properties that make two requests the same work. */
export interface Identity {
  /** SHA-256 of the source's bytes, hex. */
  readonly source: string
  readonly plan: Plan
  /** The only account that may share the result (§5.3). Absent: all accounts. */
  readonly owner?: string
}

/**
 * The name of a result: 256 bits, hex. It depends on a secret of the installation, so knowing source and options does not reveal it.
 * `timeout` (§5.2) and the order of options do not affect it.
 */
export const resultKey = (secret: Uint8Array, identity: Identity): string => {
  const { warnings: _warnings, ...plan } = identity.plan
  return createHmac('sha256', secret)
    .update(JSON.stringify([ENGINE_GENERATION, identity.source, plan, identity.owner ?? null]))
    .digest('hex')
}
