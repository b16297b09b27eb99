import { MAX_SHOWN_ADDRESS_CHARS } from '../core/shown-text.ts'
import { readImageUrl, redactUrl } from './image-url.ts'

/** Query parameters that describe the image and never grant access. */
const HARMLESS: ReadonlySet<string> = new Set(
  'w h width height size dpr fit crop resize scale format fm ext q quality auto v ver version page frame'.split(' '),
)
/** Values that may appear in a log. Signatures are longer. */
const SHORT_VALUE = /^[\w.,-]{0,20}$/

const cut = (text: string): string =>
  text.length > MAX_SHOWN_ADDRESS_CHARS ? `${text.slice(0, MAX_SHOWN_ADDRESS_CHARS)}...` : text

const printQuery = ({ searchParams }: URL): string => {
  const pairs = [...searchParams].map(([name, value]) => {
    const shown = HARMLESS.has(name.toLowerCase()) && SHORT_VALUE.test(value) ? value : '[redacted]'
    return `${encodeURIComponent(name)}=${shown}`
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** An address for a log: without user info and fragment, and with redacted query values except for a short list. */
const printForLog = (url: URL): string => {
  const userInfo = url.username === '' && url.password === '' ? '' : '[redacted]@'
  return cut(`${url.protocol}//${userInfo}${url.host}${url.pathname}${printQuery(url)}`)
}

/** Returns the address of a request for a log. Omits an invalid one, since any part of it may be secret. */
export const describeForLog = (imageUrl: string): string => {
  try {
    return printForLog(readImageUrl(imageUrl))
  } catch {
    return `an unreadable address of ${imageUrl.length} characters`
  }
}

/** Returns the address of a request for its own client. Placeholders replace the user info. */
export const withoutCredentials = (imageUrl: string): string => {
  try {
    const url = readImageUrl(imageUrl)
    if (url.username === '' && url.password === '') return imageUrl
    url.username = 'USER'
    url.password = 'PASSWORD'
    return url.href
  } catch {
    return redactUrl(imageUrl)
  }
}
