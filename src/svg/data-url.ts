/** The bytes in a `data:` URL, whether base64 or percent-encoded. Throws on malformed escapes. */
export const dataBytes = (url: string): Buffer => {
  const comma = url.indexOf(',')
  const body = decodeURIComponent(url.slice(comma + 1))
  return Buffer.from(body, /;\s*base64\s*$/i.test(url.slice(0, comma)) ? 'base64' : 'utf8')
}

/** The text in a `data:` URL. Throws on malformed escapes. */
export const dataText = (url: string): string => dataBytes(url).toString('utf8')
