/** Data for the script of an address's explanation, in the attribute `data-setup` of the page's body. */
export interface PreviewSetup {
  /** Path of the service on the page's own origin. */
  readonly root: string
  /** Absolute address of the source, if the page has one. */
  readonly source?: string
  /** Canonical option list, if it is valid. */
  readonly list?: string
  /** seconds */
  readonly maxTimeout: number
}
