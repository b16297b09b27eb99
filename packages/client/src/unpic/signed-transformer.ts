/** A URL transformer of unpic whose addresses are signed: for pages that are made on a server, where the key stays. */
import { createHmac } from 'node:crypto'
import { type DeliverySource, signAtOnce } from '../delivered.ts'
import { requestOfUnpic, type UnpicTransformer } from './transformer.ts'

export type { UnpicOperations, UnpicTransformer } from './transformer.ts'

export interface SignedSource extends DeliverySource {
  /** A signing key of the account, from the environment. */
  readonly key: string | undefined
}

const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64url')

/** A transformer for components that are rendered on the server alone. Fails without a key. */
export const signedTransformer =
  ({ key, ...settings }: SignedSource): UnpicTransformer =>
  (src, operations) =>
    signAtOnce(settings, requestOfUnpic(settings, src, operations), { key, hmac })
