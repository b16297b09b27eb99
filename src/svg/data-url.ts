/** The text in a `data:` URL, whether base64 or percent-encoded. Throws on malformed escapes. */
export const dataText = (url: string): string => {
  const comma = url.indexOf(',')
  const body = decodeURIComponent(url.slice(comma + 1))
  return /;\s*base64\s*$/i.test(url.slice(0, comma)) ? Buffer.from(body, 'base64').toString('utf8') : body
}
