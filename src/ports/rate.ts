/** Request rates of accounts (§6, 429). Implementations: adapters/rate/*. */
export interface Rate {
  /** Counts this request and returns whether it is within `perMinute`. Refused requests are not counted. 0 = no limit. */
  readonly allow: (username: string, perMinute: number) => boolean | Promise<boolean>
}
