/** What the server tells the page: stands in the attribute `data-setup` of its body, as JSON. */
export interface Setup {
  /** Address of the service as programs reach it, without a slash at its end; for snippets. */
  readonly base: string
  /** Path of the service on this page's own origin, without a slash at its end; for requests. */
  readonly path: string
  /** Account that the page starts with; empty where nobody's is known. */
  readonly account: string
  /** Most seconds that `timeout=` may ask for. */
  readonly maxTimeout: number
  readonly maxSide: number
  readonly maxPixels: number
  readonly maxBytes: number
  readonly version: string
}

/** Reads what the server wrote into the page. */
export const readSetup = (): Setup => JSON.parse(document.body.dataset['setup'] ?? '{}') as Setup
