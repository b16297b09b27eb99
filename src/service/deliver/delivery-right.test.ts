import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeSigningKey, readSigningKey } from '../../core/signing-key.ts'
import { deliveryRight, isListed, readHostList, signAddress, signerOf, splitSignature } from './delivery-right.ts'

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
  it('a signature is valid for every spelling of the signed address', () => {
    const own = key()
    const signature = signAddress(own, signed)
    const written = [
      signed.imageUrl,
      encodeURIComponent(signed.imageUrl),
      signed.imageUrl.replace('//', '/'),
      signed.imageUrl.replace('https', 'HTTPS'),
    ]
    for (const imageUrl of written) expect(signerOf([key(), own], { ...signed, imageUrl }, signature)).toBeDefined()
    expect(signerOf([own], { ...signed, list: '700%2C2x' }, `${signature}=`)).toBeDefined()
  })

  it.each([
    ['username', { username: 'Shop' }],
    ['options', { list: '7000,2x' }],
    ['address', { imageUrl: 'https://example.com/a%20b.jpg?x=2' }],
    ['position of a slash', { list: '700', imageUrl: '2x/https://example.com' }],
  ])('a signature is invalid for another %s', (_, other) => {
    const own = key()
    const changed = { ...signed, ...other }
    const isValid = (): boolean => signerOf([own], changed, signAddress(own, signed)) !== undefined
    if (changed.imageUrl.startsWith('http')) expect(isValid()).toBe(false)
    else expect(isValid).toThrow('not absolute')
  })

  it('a signed text cannot be moved from the address into the options', () => {
    const own = key()
    const signature = signAddress(own, {
      username: 'shop',
      list: '700',
      imageUrl: 'https://good.com/https://evil.com/',
    })
    const moved = { username: 'shop', list: '700/https:%2F%2Fgood.com', imageUrl: 'https://evil.com/' }
    expect(signerOf([own], moved, signature)).toBeUndefined()
  })

  it('a signature has at least 128 bits', () => {
    const own = key()
    const signature = signAddress(own, signed)
    expect(signature).toMatch(/^[\w-]{43}$/)
    expect(signerOf([own], signed, signature.slice(0, 22))).toBeDefined()
    expect(signerOf([own], signed, signature.slice(0, 21))).toBeUndefined()
    expect(signerOf([own], signed, '')).toBeUndefined()
    expect(signerOf([own], signed, `${signature}A`)).toBeUndefined()
  })

  it('a signature of another key, or any other text, is invalid', () => {
    const own = key()
    expect(signerOf([own], signed, signAddress(key(), signed))).toBeUndefined()
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => signerOf([own], signed, text) === undefined))
  })

  it('signature and expiry are separated from the options at any position', () => {
    expect(splitSignature('700,sig=abc,2x')).toEqual({ options: '700,2x', list: '700,2x', signature: 'abc' })
    expect(splitSignature('SIG%3Dabc%2C700')).toEqual({ options: '700', list: '700', signature: 'abc' })
    expect(splitSignature('700,2x')).toEqual({ options: '700,2x', list: '700,2x' })
    expect(splitSignature('700,exp=12,sig=abc')).toEqual({
      options: '700',
      list: '700,exp=12',
      signature: 'abc',
      expires: 12,
    })
    expect(splitSignature('exp=soon,700')).toEqual({ options: '700', list: 'exp=soon,700', expires: Number.NaN })
  })
})

describe('a signing key', () => {
  it('a key is not printed, and a text of another form is no key', () => {
    const text = makeSigningKey()
    const own = readSigningKey(text)!
    expect(JSON.stringify({ own })).not.toContain(text)
    expect([own.is(text), own.is(makeSigningKey()), own.is('')]).toEqual([true, false, false])
    expect(own.reveal()).toBe(text)
    expect(readSigningKey('short')).toBeUndefined()
  })
})

describe('the right to live delivery (§8.1)', () => {
  const own = key()
  const url = new URL(signed.imageUrl)
  const right = (hosts: readonly string[], keys: readonly ReturnType<typeof key>[], signature?: string) => {
    const options = signature === undefined ? signed.list : `${signed.list},sig=${signature}`
    return deliveryRight({ hosts, keys }, url, { ...signed, ...splitSignature(options), segment: options })
  }

  it.each([
    ['two signatures', (sig: string) => [`700,2x,sig=junk,sig=${sig}`, signed.imageUrl]],
    ['a signature in front', (sig: string) => [`sig=${sig},700,2x`, signed.imageUrl]],
    ['half a signature', (sig: string) => [`700,2x,sig=${sig.slice(0, 22)}`, signed.imageUrl]],
    ['a padded signature', (sig: string) => [`700,2x,sig=${sig}=`, signed.imageUrl]],
    ['an encoded digit', (sig: string) => [`7%300,2x,sig=${sig}`, signed.imageUrl]],
    ['an encoded comma', (sig: string) => [`700%2C2x,sig=${sig}`, signed.imageUrl]],
    ['one slash', (sig: string) => [`700,2x,sig=${sig}`, signed.imageUrl.replace('//', '/')]],
    ['three slashes', (sig: string) => [`700,2x,sig=${sig}`, signed.imageUrl.replace('//', '///')]],
    ['another case', (sig: string) => [`700,2x,sig=${sig}`, signed.imageUrl.replace('https', 'HTTPS')]],
    [
      'an encoded letter',
      (sig: string) => [`700,2x,sig=${sig}`, encodeURIComponent(signed.imageUrl).replace('example', '%65xample')],
    ],
  ])('a signed address with %s is redirected to the canonical one', (_, write) => {
    const signature = signAddress(own, signed)
    const [options = '', imageUrl = ''] = write(signature)
    const asked = { username: 'shop', imageUrl, segment: options, ...splitSignature(options) }
    const elsewhere = `/shop/700,2x,sig=${signature}/${encodeURIComponent(signed.imageUrl)}`
    expect(deliveryRight({ hosts: [], keys: [own] }, url, asked)).toEqual({ kind: 'signed', elsewhere })
    const [segment = '', address = ''] = elsewhere.split('/').slice(2)
    const canonical = { username: 'shop', imageUrl: address, segment, ...splitSignature(segment) }
    expect(deliveryRight({ hosts: [], keys: [own] }, url, canonical)).toEqual({ kind: 'signed' })
  })

  it('a listed host or a signature grants the right', () => {
    expect(right(['example.com'], [])).toEqual({ kind: 'listed' })
    expect(right(['other.com'], [own], signAddress(own, signed))).toEqual({ kind: 'signed' })
    expect(right(['example.com'], [own], 'wrong')).toEqual({ kind: 'listed' })
  })

  it('a signature expires at the time of exp=, after which the list of hosts counts', () => {
    const expiring = { ...signed, list: '700,2x,exp=1700000000' }
    const segment = `${expiring.list},sig=${signAddress(own, expiring)}`
    const given = { ...expiring, ...splitSignature(segment), segment }
    const at = (ms: number, hosts: readonly string[] = []) => deliveryRight({ hosts, keys: [own] }, url, given, ms)
    expect(at(1699999999_999)).toEqual({ kind: 'signed' })
    const lacks = 'its signature expired at 2023-11-14T22:13:20.000Z'
    expect(at(1700000000_000)).toEqual({ kind: 'refused', lacks })
    expect(at(1700000000_000, ['example.com'])).toEqual({ kind: 'listed' })
  })

  it('an exp= that was changed or is invalid is refused', () => {
    const expiring = { ...signed, list: '700,exp=1' }
    const moved = { ...signed, list: '700,exp=2', segment: '', expires: 2, signature: signAddress(own, expiring) }
    expect(deliveryRight({ hosts: [], keys: [own] }, url, moved, 0)).toMatchObject({ kind: 'refused' })
    const soon = { ...signed, list: '700,exp=soon' }
    const unread = { ...soon, segment: '', expires: Number.NaN, signature: signAddress(own, soon) }
    const lacks = 'its exp= is not a time in seconds since 1970'
    expect(deliveryRight({ hosts: [], keys: [own] }, url, unread, 0)).toEqual({ kind: 'refused', lacks })
  })

  const notListed = 'its host example.com is not on the list of this account'
  it.each([
    [['other.com'], [], undefined, notListed],
    [[], [own], undefined, 'it is not signed (sig=)'],
    [[], [own], 'wrong', 'its signature is not that of this address'],
    [['other.com'], [own], undefined, `${notListed}, and it is not signed (sig=)`],
  ])('the refusal names what is missing with hosts %j and keys, and signature %s', (hosts, keys, signature, lacks) => {
    expect(right(hosts, keys as ReturnType<typeof key>[], signature)).toEqual({ kind: 'refused', lacks })
  })
})
