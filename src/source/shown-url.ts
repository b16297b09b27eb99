import { readImageUrl, shown } from './image-url.ts'

/** Parameters whose values say how an image is made, and never who may see it. */
const HARMLESS: ReadonlySet<string> = new Set(
  'w h width height size dpr fit crop resize scale format fm ext q quality auto v ver version page frame'.split(' '),
)
/** Values that are worth a line in a log; a signature is longer. */
const SHORT_VALUE = /^[\w.,-]{0,20}$/
/** Characters of an address in a log. */
const LONGEST = 500

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text)

const printQuery = ({ searchParams }: URL): string => {
  const pairs = [...searchParams].map(([name, value]) => {
    const shown = HARMLESS.has(name.toLowerCase()) && SHORT_VALUE.test(value) ? value : '[redacted]'
    return `${encodeURIComponent(name)}=${shown}`
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** An address as a log may hold it: without user info and fragment, its query values redacted but for a short list. */
const printForLog = (url: URL): string => {
  const userInfo = url.username === '' && url.password === '' ? '' : '[redacted]@'
  return cut(`${url.protocol}//${userInfo}${url.host}${url.pathname}${printQuery(url)}`)
}

/** The address of a request as a log may hold it. One that cannot be read is not repeated: nobody knows what is secret in it. */
export const describeForLog = (imageUrl: string): string => {
  try {
    return printForLog(readImageUrl(imageUrl))
  } catch {
    return `an unreadable address of ${imageUrl.length} characters`
  }
}

/** The address of a request as it may be shown to whoever sent it: with words in place of its user info. */
export const withoutCredentials = (imageUrl: string): string => {
  try {
    const url = readImageUrl(imageUrl)
    if (url.username === '' && url.password === '') return imageUrl
    url.username = 'USER'
    url.password = 'PASSWORD'
    return url.href
  } catch {
    return shown(imageUrl)
  }
}
