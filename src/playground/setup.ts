/** Data from the server, as JSON in the attribute `data-setup` of the page's body. */
export interface Setup {
  /** Address of the service for programs, without a slash at its end. Used in snippets. */
  readonly base: string
  /** Path of the service on this page's origin, without a slash at its end. Used for requests. */
  readonly path: string
  /** Initial account, or empty. */
  readonly account: string
  /** Largest accepted `timeout=` in seconds. */
  readonly maxTimeout: number
  /** Largest side of a result in px. */
  readonly maxSide: number
  /** Largest number of pixels of a result. */
  readonly maxPixels: number
  /** Largest size of an upload in bytes. */
  readonly maxBytes: number
  readonly version: string
}

/** Reads the server's data from the page. */
export const readSetup = (): Setup => JSON.parse(document.body.dataset['setup'] ?? '{}') as Setup
