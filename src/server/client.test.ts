import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { trustProxy } from '../settings/readers.ts'
import { baseAddress, type Client, clientOf, requestId, trustRule } from './client.ts'

const requestFrom = (remoteAddress: string, headers: IncomingMessage['headers']) =>
  ({ socket: { remoteAddress, localPort: 8080 }, headers }) as IncomingMessage

const ruleOf = (text: string) => {
  const read = trustProxy(text)
  if (!('value' in read)) throw new Error(read.expected)
  return trustRule(read.value)
}

const NEAR = '10.0.0.9'
const SENT = { 'x-forwarded-for': '6.6.6.6, 203.0.113.7, 10.0.0.8' }

describe('the address of a client', () => {
  it.each([
    ['false', NEAR],
    ['1', '10.0.0.8'],
    ['2', '203.0.113.7'],
    ['3', '6.6.6.6'],
    ['9', '6.6.6.6'],
    ['true', '6.6.6.6'],
    ['10.0.0.0/8', '203.0.113.7'],
    ['10.0.0.9', '10.0.0.8'],
    ['192.0.2.0/24', NEAR],
  ])('is, with TRUST_PROXY=%s, %s', (trust, address) => {
    expect(clientOf(requestFrom(NEAR, SENT), ruleOf(trust)).address).toBe(address)
  })

  it.each([
    ['::ffff:127.0.0.1', {}, '127.0.0.1'],
    ['::1', { 'x-forwarded-for': '[2001:db8::5]:4711' }, '2001:db8::5'],
    ['127.0.0.1', { 'x-forwarded-for': '203.0.113.7:4711' }, '203.0.113.7'],
    ['127.0.0.1', { 'x-forwarded-for': 'unknown' }, '127.0.0.1'],
    ['127.0.0.1', { 'x-forwarded-for': '"><script>' }, '127.0.0.1'],
    ['127.0.0.1', { 'x-forwarded-for': '' }, '127.0.0.1'],
  ])('a connection from %s with %j belongs to %s', (remote, headers, address) => {
    expect(clientOf(requestFrom(remote, headers), ruleOf('1')).address).toBe(address)
  })
})

describe('the base address', () => {
  const headers = {
    host: 'inner:8080',
    'x-forwarded-host': 'evil.example, shop.example, cdn.example',
    'x-forwarded-proto': 'http, https, http',
  }
  it.each([
    ['false', 'http://inner:8080'],
    ['1', 'http://cdn.example'],
    ['2', 'https://shop.example'],
    ['true', 'http://evil.example'],
  ])('is, with TRUST_PROXY=%s, %s', (trust, base) => {
    const request = requestFrom(NEAR, { ...headers, 'x-forwarded-for': 'a, b' })
    const site = { publicUrl: undefined, pathPrefix: '' }
    expect(baseAddress(request, clientOf(request, ruleOf(trust)), site)).toBe(base)
  })
})

describe('the id of a request', () => {
  const NGINX = '0123456789abcdef0123456789abcdef'
  const byProxy: Client = { address: '203.0.113.7', proxies: 1 }
  const site = { requestIdHeader: 'x-request-id' }
  const idOf = (header: string | undefined, client = byProxy, where: { requestIdHeader: string | undefined } = site) =>
    requestId(requestFrom(NEAR, header === undefined ? {} : { 'x-request-id': header }), client, where)

  it("the id comes from the proxy's header when that is configured", () => expect(idOf(NGINX)).toBe(NGINX))

  it.each([
    ['no header is configured', idOf(NGINX, byProxy, { requestIdHeader: undefined })],
    ['no trusted proxy sent it', idOf(NGINX, { address: '203.0.113.7', proxies: 0 })],
    ['it is too short', idOf('1')],
    ['it has a blank', idOf(`${NGINX} x`)],
    ['it is too long', idOf('a'.repeat(65))],
    ['there is none', idOf(undefined)],
  ])('the id is generated when %s', (_, id) => expect(id).toBeUndefined())
})
