// Addresses are found raw and percent-encoded (§1.3) to any depth. `depth` has the `25`s after the percent sign. Only a delimiter of the
// same depth ends the user info: in `https://ada:a%2Fb@host` the slash belongs to the password. Each pattern consumes a whole authority,
// since a search for the @ alone would take quadratic time on `https:https:…`.
const RAW = /(https?:\/*)([^\s/?#"\\<>]*)/gi
const ENCODED = /(https?%(?<depth>(?:25)*)3A(?:\/|%\k<depth>2F)*)((?:(?!%\k<depth>(?:2F|3F|23))[^\s/?#"\\<>])*)/gi

const hide = (authority: string, at: string): string => {
  const end = Math.max(authority.lastIndexOf('@'), authority.lastIndexOf(at))
  return end < 0 ? authority : `[redacted]${authority.slice(end)}`
}

/** Replaces the user info of every http address in a text, since it may contain the password of an origin. */
export const redactUserInfo = (text: string): string =>
  text
    .replace(RAW, (_, scheme: string, authority: string) => scheme + hide(authority, '@'))
    .replace(ENCODED, (_, scheme: string, depth: string, authority: string) => scheme + hide(authority, `%${depth}40`))
