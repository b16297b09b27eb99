import { BlockList, isIP } from 'node:net'
import { fail } from '../../core/failure.ts'
import type { Options } from '../../options/options.ts'
import { printSides } from '../../options/print.ts'
import type { Access, Account } from '../../ports/accounts.ts'
import type { RequestOrigin } from '../service.ts'

const FAMILY = { 4: 'ipv4', 6: 'ipv6' } as const

const familyOf = (address: string): 'ipv4' | 'ipv6' | undefined => FAMILY[isIP(address) as 4 | 6]

/** An IP address or a range such as `192.0.2.0/24`, in its one form; undefined for any other text. */
const readRange = (text: string): string | undefined => {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { ipv4: 32, ipv6: 128 }[familyOf(address) ?? 'ipv4']
  const isRight = familyOf(address) !== undefined && rest.length === 0
  if (!isRight || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most))) return undefined
  return bits === undefined ? address : `${address}/${Number(bits)}`
}

/** The list of client addresses of an account, from a text with commas; undefined when an item of it cannot be read. */
export const readAddressList = (text: string): readonly string[] | undefined => {
  const ranges = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(readRange)
  const read = ranges.filter((range) => range !== undefined)
  return read.length === 0 || read.length < ranges.length ? undefined : [...new Set(read)]
}

/** Whether a client's address is one of these, or in one of these ranges. */
export const isInRanges = (ranges: readonly string[], address: string): boolean => {
  const family = familyOf(address)
  if (family === undefined) return false
  const list = new BlockList()
  for (const range of ranges) {
    const [base = '', bits] = range.split('/')
    const ofBase = familyOf(base) ?? 'ipv4'
    if (bits === undefined) list.addAddress(base, ofBase)
    else list.addSubnet(base, Number(bits), ofBase)
  }
  return list.check(address, family)
}

const checkKey = ({ keys }: Access, username: string, key: string | undefined): void => {
  if (keys.length === 0) return
  if (key === undefined) throw fail('ACCESS_KEY_MISSING', username)
  // Compares all keys, so that the time does not depend on which one matches.
  if (!keys.map((each) => each.is(key)).includes(true)) throw fail('ACCESS_KEY_WRONG', username)
}

/** Whether a client may use an account by POST (§6.1). Fails with ADDRESS_REFUSED, ACCESS_KEY_MISSING or ACCESS_KEY_WRONG. */
export const checkAccess = ({ username, access }: Account, { address, key, isAdmitted }: RequestOrigin): void => {
  if (access === undefined || isAdmitted === true) return
  if (access.addresses.length > 0 && !isInRanges(access.addresses, address)) throw fail('ADDRESS_REFUSED', address)
  checkKey(access, username, key)
}

/** The size of a request as an account's list has it: `full`, `300x200`, `300` or `x200`. */
const sizeOf = ({ resize }: Options): string => (resize.kind === 'full' ? 'full' : printSides(resize))

/** Items of a list that are named in an error text. */
const MAX_NAMED = 20

const shown = (list: readonly string[]): string => list.slice(0, MAX_NAMED).join(', ')

/** Whether an account allows these options (§6.1), by GET and POST alike. Fails with FORMAT_REFUSED or SIZE_REFUSED. */
export const checkAllowed = ({ access }: Account, options: Options): void => {
  if (access === undefined) return
  const { formats, sizes } = access
  if (formats.length > 0 && options.format !== 'auto' && !formats.includes(options.format))
    throw fail('FORMAT_REFUSED', options.format, shown(formats))
  if (sizes.length > 0 && !sizes.includes(sizeOf(options))) throw fail('SIZE_REFUSED', sizeOf(options), shown(sizes))
}

/** The formats of an Accept header that an account allows. */
export const allowedAccept = <
  Accept extends { readonly webp: boolean; readonly avif: boolean; readonly jxl?: boolean },
>(
  { access }: Account,
  accept: Accept,
): { readonly webp: boolean; readonly avif: boolean; readonly jxl: boolean } => {
  const formats = access?.formats ?? []
  const allows = (format: string): boolean => formats.length === 0 || formats.includes(format)
  return {
    webp: accept.webp && allows('webp'),
    avif: accept.avif && allows('avif'),
    jxl: accept.jxl === true && allows('jxl'),
  }
}
