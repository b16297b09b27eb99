/** Returns the token of `Authorization: Bearer <token>` (RFC 6750, section 2.1). */
export const bearerIn = (header: string | undefined): string | undefined =>
  /^Bearer +([\w.~+/=-]{1,512})$/i.exec(header ?? '')?.[1]

/** Returns the password of `Authorization: Basic …` for this username (RFC 7617), or undefined for another username. */
const passwordIn = (header: string | undefined, username: string): string | undefined => {
  const [, pair] = /^Basic +([\w+/=]{1,1024})$/i.exec(header ?? '') ?? []
  const text = Buffer.from(pair ?? '', 'base64').toString('utf8')
  return pair !== undefined && text.startsWith(`${username}:`) ? text.slice(username.length + 1) : undefined
}

/** Returns the account's key from Bearer or Basic authentication. */
export const keyIn = (header: string | undefined, username: string): { readonly key?: string } => {
  const key = bearerIn(header) ?? passwordIn(header, username)
  return key === undefined ? {} : { key }
}
