import type { LogFields } from '../ports/telemetry.ts'
import { isMisplacedUrl } from '../source/image-url.ts'
import { describeForLog, withoutCredentials } from '../source/shown-url.ts'
import type { Address } from './address.ts'

/** What options and usernames consist of; anything else may be a piece of an address, with a password in it. */
const PLAIN_OPTIONS = /^[\w.,=%#-]{0,500}$/
const PLAIN_NAME = /^[\w.-]{0,64}$/

const isPlain = (options: string): boolean => PLAIN_OPTIONS.test(options) && !isMisplacedUrl(options)
const unless = (plain: boolean, text: string): string => (plain ? text : `unreadable, ${text.length} characters`)

/** The own path without the token of a result: who knows it may have the result. */
const ownPath = (path: string): string => path.replace(/^(\/-\/results\/).+$/s, '$1[redacted]').slice(0, 100)

/** Without the signature, which would have the image delivered to whoever reads it. */
const withoutSignature = (options: string): string =>
  options.replace(/(^|,|%2c)(sig(?:=|%3d))[^,]*/gi, '$1$2[redacted]')

/** A request's address as logs may hold it: the parts that were read, never the target as it came. */
export const describeAddress = (address: Address): LogFields => {
  if (address.kind === 'home') return { path: '/' }
  if (address.kind === 'own') return { path: ownPath(address.path) }
  const { username, options, imageUrl } = address
  return {
    username: unless(PLAIN_NAME.test(username), username),
    ...(options === undefined ? {} : { options: withoutSignature(unless(isPlain(options), options)) }),
    ...(imageUrl === undefined ? {} : { source: describeForLog(imageUrl) }),
  }
}

/** The path of an image's address as it may be shown to whoever opened it: capitals stand where a password might. */
export const showPath = ({ username, options, imageUrl }: Extract<Address, { kind: 'image' }>): string => {
  const name = PLAIN_NAME.test(username) ? username : 'USERNAME'
  const list = options === undefined ? [] : [isPlain(options) ? options : 'OPTIONS']
  return ['', name, ...list, ...(imageUrl === undefined ? [] : [withoutCredentials(imageUrl)])].join('/')
}
