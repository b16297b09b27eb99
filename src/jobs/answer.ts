import type { Stages } from '../core/outcome.ts'
import type { OpenBody } from '../ports/results.ts'

/** An image as it is answered, from work just done or from the store. */
export interface ImageAnswer {
  readonly kind: 'image'
  readonly contentType: string
  /** The bytes, or where to open them (anew for each reader; throws when they were removed meanwhile). */
  readonly body: Uint8Array | OpenBody
  readonly bytes: number
  readonly etag: string
  readonly warnings: readonly string[]
  readonly cacheControl?: string
  readonly stages: Stages
  /** X-Score, X-Encodes, X-Source-Bytes, X-Loop-Count: facts of the result, by lower-case header name. */
  readonly facts: Readonly<Record<string, string>>
  /** The format depended on the Accept header (§4.2). */
  readonly variesByAccept: boolean
  /** It came out of the result store. */
  readonly stored?: true
}

/** 303: to a result that is under way or stored, or to the untouched source. Never cacheable (§5.3). */
export interface RedirectAnswer {
  readonly kind: 'redirect'
  readonly to: { readonly kind: 'result'; readonly token: string } | { readonly kind: 'source'; readonly url: string }
  readonly warnings: readonly string[]
  readonly stages: Stages
}

export type Answer = ImageAnswer | RedirectAnswer
