/** What the explanation of an address tells its script, in the attribute `data-setup` of the page's body. */
export interface PreviewSetup {
  /** Path of the service on the page's own origin. */
  readonly root: string
  /** Absolute address of the source, where the page was opened for one. */
  readonly source?: string
  /** Canonical option list, where it could be read. */
  readonly list?: string
  /** seconds */
  readonly maxTimeout: number
}
