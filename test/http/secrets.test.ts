import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sendRaw } from './raw.ts'
import { type Case, start } from './start.ts'

let service: Case
const lines: string[] = []
beforeAll(async () => {
  service = await start({ logTo: (line) => void lines.push(line) })
})
afterAll(() => service[Symbol.asyncDispose]())
beforeEach(() => {
  lines.length = 0
})

/** The log after its line for the request, which is written when the response has been sent. */
const logged = async (): Promise<string> => {
  await expect.poll(() => lines.filter((line) => line.includes('"status"')).length).toBeGreaterThan(0)
  return lines.join('')
}

const send = (method: string, target: string, accept = '*/*') =>
  sendRaw(service.port, `${method} ${target} HTTP/1.0\r\nHost: x\r\nAccept: ${accept}\r\n\r\n`)

describe('a password in an image address', () => {
  const HOST = 'no-such-host.invalid/a.png'
  const FORMS = [
    `/anna/full/http://ada:SECRET@${HOST}`,
    `/anna/full/http:%2F%2Fada:SECRET%40${HOST}`,
    `/anna/full/http%3A%2F%2Fada%3ASECRET%40${encodeURIComponent(HOST)}`,
    `/anna/full/http%253A%252F%252Fada%253ASECRET%2540${HOST}`,
    `/anna/full/http:\\\\ada:SECRET@${HOST}`,
    `/anna/full/http:/\\ada:SECRET@${HOST}`,
    `/anna/full/http:/ada:SECRET@${HOST}`,
    `/anna/full/http://ada:"<SECRET>"@${HOST}`,
    `/anna/full/http://ada:a/SECRET@${HOST}`,
    `/anna/full/http://ada:a?SECRET@${HOST}`,
    `/anna/full/http://ada:a%ZZSECRET@${HOST}`,
    `/anna/full/ftp://ada:SECRET@${HOST}`,
    `/anna/full/ada:SECRET@${HOST}`,
    `/anna/full//ada:SECRET@${HOST}`,
    `/anna/http://ada:SECRET@${HOST}`,
    `/anna/http:%2F%2Fada:SECRET%40${HOST}`,
    `/anna/full,http:%2F%2Fada:SECRET%40host/http://${HOST}`,
    `/anna/full,%20http:%2F%2Fada:SECRET%40host/http://${HOST}`,
    `/http://ada:SECRET@${HOST}`,
    `/http:%2F%2Fada:SECRET%40${HOST}`,
    `/ada:SECRET@host/full/http://${HOST}`,
    `/anna/full/http://ada:${'x'.repeat(300)}SECRET@[${HOST}`,
    `/nobody/full/http://ada:SECRET@${HOST}`,
  ]
  it.each(FORMS)('a password appears neither in the log nor in the response: POST %s', async (target) => {
    const answer = await send('POST', target)
    expect(Math.floor(answer.status / 100)).toBe(4)
    expect(`${answer.head}${answer.body}`).not.toContain('SECRET')
    expect(await logged()).not.toContain('SECRET')
  })
  it.each(FORMS)('a password does not appear in the page: GET %s', async (target) => {
    const answer = await send('GET', target, 'text/html')
    expect(`${answer.head}${answer.body}`).not.toContain('SECRET')
    expect(await logged()).not.toContain('SECRET')
  })
})

describe('a signature in an image address', () => {
  it.each([
    'X-Amz-Signature=SECRET&X-Amz-Credential=SECRET',
    'token=SECRET',
    'sig=SECRET',
    'a=1&key=SECRET#SECRET',
    'SECRET=',
    'w=SECRETSECRETSECRETSECRET',
    'v=SECRET%2F',
  ])('?%s stays out of the log', async (query) => {
    const url = `http://no-such-host.invalid/a.png?${query.replace('SECRET=', 'x=SECRET')}`
    for (const form of [url, encodeURIComponent(url)]) await send('POST', `/anna/full/${form}`)
    expect(await logged()).not.toContain('SECRET')
  })
})

it.each([
  '300,sig=',
  '300,%20sig=',
  'sig%3D',
  'SIG=',
  '300,%73ig=',
  'sig%253D',
  'signature=',
  '300,sgi=',
])('a signature stays out of the log: %s', async (before) => {
  const signature = 'SECRET-9_SECRET-9_SECRET-9_'
  for (const form of [signature, signature.replaceAll('-', '%2D').replaceAll('_', '%5f')])
    await send('GET', `/anna/${before}${form}/https://no-such-host.invalid/a.png`, 'image/*')
  await expect.poll(() => lines.filter((line) => line.includes('"status"')).length).toBe(2)
  expect(await logged()).not.toContain('SECRET')
})

it('the log has the request as it was read', async () => {
  await send('POST', '/anna/300,2x/http://ada:SECRET@no-such-host.invalid/a%20b.png?w=30&token=SECRET')
  expect(JSON.parse((await logged()).split('\n').find((line) => line.includes('"status"')) ?? '')).toMatchObject({
    method: 'POST',
    username: 'anna',
    options: '300,2x',
    source: 'http://[redacted]@no-such-host.invalid/a%20b.png?w=30&token=[redacted]',
    status: 404,
    failure: 'SOURCE_UNREACHABLE',
  })
})

it('the log does not contain the name of a result, which grants access', async () => {
  await send('GET', '/-/results/0123456789abcdef0123456789abcdef')
  expect(await logged()).not.toContain('0123456789')
})

it.each([
  ['ftp://e.com/a.png', 'ftp'],
  ['data:image/png;base64,AAAA', 'data'],
  ['file:///etc/passwd', 'file'],
])('the error for %s says that images are fetched over http', async (address, scheme) => {
  const answer = await send('POST', `/anna/full/${address}`)
  expect([answer.status, answer.body.toString()]).toEqual([
    404,
    expect.stringContaining(`starts with "${scheme}:", and images are fetched over http and https alone`),
  ])
})
