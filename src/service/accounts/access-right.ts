import { BlockList, isIP } from 'node:net'
import { fail } from '../../core/failure.ts'
import { MAX_SHOWN_ITEMS } from '../../core/shown-text.ts'
import type { Options } from '../../options/options.ts'
import { printSides } from '../../options/print.ts'
import type { Access, Account } from '../../ports/accounts.ts'
import { parseItems } from '../../support/parse-items.ts'
import type { RequestOrigin } from '../service.ts'

const FAMILY = { 4: 'ipv4', 6: 'ipv6' } as const

const familyOf = (address: string): 'ipv4' | 'ipv6' | undefined => FAMILY[isIP(address) as 4 | 6]

/** Parses an IP address or a range such as `192.0.2.0/24` into its canonical form. Returns undefined for any other text. */
const readRange = (text: string): string | undefined => {
  const [address = '', bits, ...rest] = text.split('/')
  const maxBits = { ipv4: 32, ipv6: 128 }[familyOf(address) ?? 'ipv4']
  const isValid = familyOf(address) !== undefined && rest.length === 0
  if (!isValid || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))) return undefined
  return bits === undefined ? address : `${address}/${Number(bits)}`
}

/** Parses a comma-separated list of client addresses. Returns undefined if an item is invalid. */
export const readAddressList = (text: string): readonly string[] | undefined => parseItems(text, readRange)

/** Whether an address is in one of the ranges. */
const isInRanges = (ranges: readonly string[], address: string): boolean => {
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

/** Checks whether a client may use an account by POST (§6.1). Fails with ADDRESS_REFUSED, ACCESS_KEY_MISSING or ACCESS_KEY_WRONG. */
export const checkAccess = ({ username, access }: Account, { address, key, isAdmitted }: RequestOrigin): void => {
  if (access === undefined || isAdmitted === true) return
  if (access.addresses.length > 0 && !isInRanges(access.addresses, address)) throw fail('ADDRESS_REFUSED', address)
  checkKey(access, username, key)
}

/** The size of a request in the form of an account's list: `full`, `300x200`, `300` or `x200`. */
const sizeOf = ({ resize }: Options): string => (resize.kind === 'full' ? 'full' : printSides(resize))

const shown = (list: readonly string[]): string => list.slice(0, MAX_SHOWN_ITEMS).join(', ')

/** Checks whether an account allows these options by GET or POST (§6.1). Fails with FORMAT_REFUSED or SIZE_REFUSED. */
export const checkAllowed = ({ access }: Account, options: Options): void => {
  if (access === undefined) return
  const { formats, sizes } = access
  if (formats.length > 0 && options.format !== 'auto' && !formats.includes(options.format))
    throw fail('FORMAT_REFUSED', options.format, shown(formats))
  if (sizes.length > 0 && !sizes.includes(sizeOf(options))) throw fail('SIZE_REFUSED', sizeOf(options), shown(sizes))
}

/** Returns the formats of an Accept header that an account allows. */
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
