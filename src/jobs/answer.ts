import type { Stages } from '../core/outcome.ts'
import type { OpenBody } from '../ports/results.ts'

/** An image response, from a computation or from the store. */
export interface ImageAnswer {
  readonly kind: 'image'
  readonly contentType: string
  /** The bytes, or a function that opens them for each reader. It throws when they were removed. */
  readonly body: Uint8Array | OpenBody
  readonly bytes: number
  readonly etag: string
  readonly warnings: readonly string[]
  readonly cacheControl?: string
  readonly stages: Stages
  /** Facts about the result by lower-case header name: X-Score, X-Encodes, X-Source-Bytes, X-Loop-Count. */
  readonly facts: Readonly<Record<string, string>>
  /** Whether the format depended on the Accept header (§4.2). */
  readonly variesByAccept: boolean
  /** Set when it came from the result store. */
  readonly stored?: true
}

/** 303 to a running or stored result, to the unchanged source, or to the canonical path of a signed address. Never cacheable (§5.3). */
export interface RedirectAnswer {
  readonly kind: 'redirect'
  readonly to:
    | { readonly kind: 'result'; readonly token: string }
    | { readonly kind: 'source'; readonly url: string }
    | { readonly kind: 'address'; readonly path: string }
  readonly warnings: readonly string[]
  readonly stages: Stages
}

export type Answer = ImageAnswer | RedirectAnswer
