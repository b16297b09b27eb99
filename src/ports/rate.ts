/** How often an account may ask (§6, 429). Implementations: adapters/rate/*. */
export interface Rate {
  /** Counts this request and says whether it is within `perMinute`; what is refused is not counted. 0 = no limit. */
  readonly allow: (username: string, perMinute: number) => boolean | Promise<boolean>
}
