/** The beginning of a request's address: `base` has no slash at its end, `account` is percent-encoded. */
export interface Endpoint {
  readonly base: string
  readonly account: string
}

/** Normalises the address of a service and the name of an account for {@link addressOf}. */
export const endpointOf = (base: string | URL, account: string): Endpoint => ({
  base: String(base).replace(/\/+$/, ''),
  account: encodeURIComponent(account),
})

/** Returns `<base>/<account>/<list>`, followed by the percent-encoded address of the source if there is one. */
export const addressOf = ({ base, account }: Endpoint, list: string, source?: string): string =>
  `${base}/${account}/${list}${source === undefined ? '' : `/${encodeURIComponent(source)}`}`
