/** A URL transformer of unpic with signed addresses, for pages that a server renders: the key must stay there. */
import { createHmac } from 'node:crypto'
import { type DeliverySource, signSync } from '../delivered.ts'
import { requestOfUnpic, type UnpicTransformer } from './transformer.ts'

export type { UnpicOperations, UnpicTransformer } from './transformer.ts'

/** Settings of a transformer with signed addresses. */
export interface SignedSource extends DeliverySource {
  /** A signing key of the account, from the environment. */
  readonly key: string | undefined
}

const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64url')

/** Creates a transformer for components that only the server renders. The transformer fails with an Error without a key. */
export const signedTransformer =
  ({ key, ...settings }: SignedSource): UnpicTransformer =>
  (src, operations) =>
    signSync(settings, requestOfUnpic(settings, src, operations), { key, hmac })
