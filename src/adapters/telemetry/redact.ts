// An address is searched as it stands and percent-encoded (§1.3) to any depth; `depth` is that depth, as the `25`s after a
// percent sign. Only a delimiter of the same depth ends the user info: in `https://ada:a%2Fb@host` the slash is the password's.
// Each authority is consumed whole, with or without user info: a search for the @ alone takes quadratic time on `https:https:…`.
const RAW = /(https?:\/*)([^\s/?#"\\<>]*)/gi
const ENCODED = /(https?%(?<depth>(?:25)*)3A(?:\/|%\k<depth>2F)*)((?:(?!%\k<depth>(?:2F|3F|23))[^\s/?#"\\<>])*)/gi

const hide = (authority: string, at: string): string => {
  const end = Math.max(authority.lastIndexOf('@'), authority.lastIndexOf(at))
  return end < 0 ? authority : `[redacted]${authority.slice(end)}`
}

/** The text with the user info of every http address in it replaced: passwords for an origin must not outlive their request. */
export const redactUserInfo = (text: string): string =>
  text
    .replace(RAW, (_, scheme: string, authority: string) => scheme + hide(authority, '@'))
    .replace(ENCODED, (_, scheme: string, depth: string, authority: string) => scheme + hide(authority, `%${depth}40`))
