/** Whose address it is: `base` without slashes at its end, `account` percent-encoded. */
export interface Place {
  readonly base: string
  readonly account: string
}

/** How a service and an account stand in addresses. */
export const placeOf = (base: string | URL, account: string): Place => ({
  base: String(base).replace(/\/+$/, ''),
  account: encodeURIComponent(account),
})

/** The address of an option list, and of an image wholly encoded. */
export const addressOf = ({ base, account }: Place, list: string, source?: string): string =>
  `${base}/${account}/${list}${source === undefined ? '' : `/${encodeURIComponent(source)}`}`
