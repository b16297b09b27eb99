import type { LogFields } from '../ports/telemetry.ts'
import { isMisplacedUrl } from '../source/image-url.ts'
import { describeForLog, withoutCredentials } from '../source/shown-url.ts'
import type { Address } from './address.ts'

/** Options and usernames that may appear in a log. Other texts may contain a password. */
const PLAIN_OPTIONS = /^[\w.,=%#-]{0,500}$/
const PLAIN_NAME = /^[\w.-]{0,64}$/

const isPlain = (options: string): boolean => PLAIN_OPTIONS.test(options) && !isMisplacedUrl(options)
const plainOrLength = (plain: boolean, text: string): string => (plain ? text : `unreadable, ${text.length} characters`)

/** The path without the token of a result, which grants access to the result. */
const ownPath = (path: string): string => path.replace(/^(\/-\/results\/).+$/s, '$1[redacted]').slice(0, 100)

/** A percent-encoded character of base64url, and some others. */
const ENCODED_CHARACTER = /%(?:2d|[3-7][\da-f])/gi

/** The options without their signature, which grants delivery. A misspelled item may hold one too, which has at least 22 characters. */
const withoutSignature = (options: string): string =>
  options.replace(ENCODED_CHARACTER, decodeURIComponent).replace(/(sig(?:=|%3d))[^,]*|[\w-]{22,}/gi, '$1[redacted]')

/** Returns a request's address for the log: only recognised parts, never the raw target. */
export const describeAddress = (address: Address): LogFields => {
  if (address.kind === 'home') return { path: '/' }
  if (address.kind === 'own') return { path: ownPath(address.path) }
  const { username, options, imageUrl } = address
  return {
    username: plainOrLength(PLAIN_NAME.test(username), username),
    ...(options === undefined ? {} : { options: withoutSignature(plainOrLength(isPlain(options), options)) }),
    ...(imageUrl === undefined ? {} : { source: describeForLog(imageUrl) }),
  }
}

/** Returns the path of an image's address for the client that opened it. Replaces parts that may contain a password by words in capitals. */
export const showPath = ({ username, options, imageUrl }: Extract<Address, { kind: 'image' }>): string => {
  const name = PLAIN_NAME.test(username) ? username : 'USERNAME'
  const list = options === undefined ? [] : [isPlain(options) ? options : 'OPTIONS']
  return ['', name, ...list, ...(imageUrl === undefined ? [] : [withoutCredentials(imageUrl)])].join('/')
}
