/** Data from the server for the page: JSON in the attribute `data-setup` of its body. */
export interface Setup {
  /** Address of the service for programs, without a slash at its end. Used in snippets. */
  readonly base: string
  /** Path of the service on this page's origin, without a slash at its end. Used for requests. */
  readonly path: string
  /** Initial account, or empty. */
  readonly account: string
  /** Maximum seconds of `timeout=`. */
  readonly maxTimeout: number
  readonly maxSide: number
  readonly maxPixels: number
  readonly maxBytes: number
  readonly version: string
}

/** Reads the server's data from the page. */
export const readSetup = (): Setup => JSON.parse(document.body.dataset['setup'] ?? '{}') as Setup
