/** Data for the page that explains an address, as JSON in the attribute `data-setup` of its body. */
export interface PreviewSetup {
  /** Path of the service on the page's own origin. */
  readonly root: string
  /** Absolute address of the source, if the page has one. */
  readonly source?: string
  /** Canonical option list, if it is valid. */
  readonly list?: string
  /** Largest accepted timeout in seconds. */
  readonly maxTimeout: number
}
