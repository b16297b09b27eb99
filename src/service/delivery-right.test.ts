import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeSigningKey, readSigningKey } from '../core/signing-key.ts'
import { deliveryRight, isListed, isSigned, readHostList, signAddress, splitSignature } from './delivery-right.ts'

describe('the list of hosts (§8.1)', () => {
  it.each([
    ['example.com', 'https://example.com/a.png', true],
    ['example.com', 'http://EXAMPLE.com:80/a.png', true],
    ['example.com', 'https://example.com:8443/a.png', false],
    ['example.com:8443', 'https://example.com:8443/a.png', true],
    ['example.com:443', 'https://example.com/a.png', true],
    ['example.com:443', 'http://example.com/a.png', false],
    ['example.com', 'https://www.example.com/a.png', false],
    ['example.com', 'https://example.com.evil.net/a.png', false],
    ['example.com', 'https://evil.net/example.com', false],
    ['example.com', 'https://example.com@evil.net/', false],
    ['example.com', 'https://example.com./a.png', false],
    ['*.example.com', 'https://a.b.example.com/a.png', true],
    ['*.example.com', 'https://example.com/a.png', false],
    ['*.example.com', 'https://evilexample.com/a.png', false],
    ['bücher.example', 'https://xn--bcher-kva.example/a.png', true],
    ['[::1]:8080', 'http://[::1]:8080/a.png', true],
  ])('%s covers %s: %s', (pattern, url, expected) => {
    expect(isListed(readHostList(pattern)!, new URL(url))).toBe(expected)
  })

  it.each([
    '',
    '*',
    '*.com',
    'https://example.com',
    'example.com/path',
    'a b/c',
    'user@example.com',
    '*.*.com',
  ])('%j is no list of hosts', (text) => expect(readHostList(text)).toBeUndefined())
})

const key = (): NonNullable<ReturnType<typeof readSigningKey>> => readSigningKey(makeSigningKey())!
const signed = { username: 'shop', list: '700,2x', imageUrl: 'https://example.com/a%20b.jpg?x=1' }

describe('signatures (§8.1)', () => {
  it('hold for what was signed, however the address is written', () => {
    const own = key()
    const signature = signAddress(own, signed)
    const written = [
      signed.imageUrl,
      encodeURIComponent(signed.imageUrl),
      signed.imageUrl.replace('//', '/'),
      signed.imageUrl.replace('https', 'HTTPS'),
    ]
    for (const imageUrl of written) expect(isSigned([key(), own], { ...signed, imageUrl }, signature)).toBe(true)
    expect(isSigned([own], { ...signed, list: '700%2C2x' }, `${signature}=`)).toBe(true)
  })

  it.each([
    ['username', { username: 'Shop' }],
    ['options', { list: '7000,2x' }],
    ['address', { imageUrl: 'https://example.com/a%20b.jpg?x=2' }],
    ['place of a slash', { list: '700', imageUrl: '2x/https://example.com' }],
  ])('do not hold for another %s', (_, other) => {
    const own = key()
    const changed = { ...signed, ...other }
    const judge = (): boolean => isSigned([own], changed, signAddress(own, signed))
    if (changed.imageUrl.startsWith('http')) expect(judge()).toBe(false)
    else expect(judge).toThrow('not absolute')
  })

  it('cannot be moved from the address into the options', () => {
    const own = key()
    const signature = signAddress(own, {
      username: 'shop',
      list: '700',
      imageUrl: 'https://good.com/https://evil.com/',
    })
    const moved = { username: 'shop', list: '700/https:%2F%2Fgood.com', imageUrl: 'https://evil.com/' }
    expect(isSigned([own], moved, signature)).toBe(false)
  })

  it('are at least 128 bits long', () => {
    const own = key()
    const signature = signAddress(own, signed)
    expect(signature).toMatch(/^[\w-]{43}$/)
    expect(isSigned([own], signed, signature.slice(0, 22))).toBe(true)
    expect(isSigned([own], signed, signature.slice(0, 21))).toBe(false)
    expect(isSigned([own], signed, '')).toBe(false)
    expect(isSigned([own], signed, `${signature}A`)).toBe(false)
  })

  it('of another key, or any other text, do not hold', () => {
    const own = key()
    expect(isSigned([own], signed, signAddress(key(), signed))).toBe(false)
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => !isSigned([own], signed, text)))
  })

  it('are taken out of the options wherever they stand', () => {
    expect(splitSignature('700,sig=abc,2x')).toEqual({ list: '700,2x', signature: 'abc' })
    expect(splitSignature('SIG%3Dabc%2C700')).toEqual({ list: '700', signature: 'abc' })
    expect(splitSignature('700,2x')).toEqual({ list: '700,2x' })
  })
})

describe('a key', () => {
  it('shows nothing when it is printed, and keys of another form are none', () => {
    const text = makeSigningKey()
    const own = readSigningKey(text)!
    expect(JSON.stringify({ own })).not.toContain(text)
    expect([own.is(text), own.is(makeSigningKey()), own.is('')]).toEqual([true, false, false])
    expect(own.reveal()).toBe(text)
    expect(readSigningKey('short')).toBeUndefined()
  })
})

describe('the right to be delivered (§8.1)', () => {
  const own = key()
  const url = new URL(signed.imageUrl)
  const right = (hosts: readonly string[], keys: readonly ReturnType<typeof key>[], signature?: string) =>
    deliveryRight({ hosts, keys }, url, { ...signed, ...(signature === undefined ? {} : { signature }) })

  it('is had by the list or by a signature', () => {
    expect(right(['example.com'], [])).toEqual({ kind: 'listed' })
    expect(right(['other.com'], [own], signAddress(own, signed))).toEqual({ kind: 'signed' })
    expect(right(['example.com'], [own], 'wrong')).toEqual({ kind: 'listed' })
  })

  const list = 'its host example.com is not on the list of this account'
  it.each([
    [['other.com'], [], undefined, list],
    [[], [own], undefined, 'it is not signed (sig=)'],
    [[], [own], 'wrong', 'its signature is not that of this address'],
    [['other.com'], [own], undefined, `${list}, and it is not signed (sig=)`],
  ])('with hosts %j and keys, and signature %s: what is missing is told', (hosts, keys, signature, lacks) => {
    expect(right(hosts, keys as ReturnType<typeof key>[], signature)).toEqual({ kind: 'refused', lacks })
  })
})
