import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAccessKey } from '../../src/core/access-key.ts'
import { type Case, FIXTURES, start } from './start.ts'

const [OLD, KEY, NEWEST] = [makeAccessKey(), makeAccessKey(), makeAccessKey()]
const IMAGE = 'pixels/pillow__hopper_orientation_2.jpg'

let service: Case
const log: string[] = []
beforeAll(async () => {
  service = await start({
    logTo: (line) => log.push(line),
    accounts: {
      keyed: { accessKey: OLD },
      near: { addresses: ['127.0.0.0/8', '::1'] },
      far: { addresses: ['192.0.2.0/24', '2001:db8::/32'] },
      narrow: { formats: ['jpeg', 'webp'], sizes: ['full', '40x40'] },
      named: { presets: new Map([['card', '40x30,crop,quality=low']]), meta: 'copyright' },
      live: { accessKey: KEY },
    },
  })
  await service.withBooks((books) => books.set('keyed', { accessKey: KEY }))
  await service.withBooks((books) => books.set('live', { deliver: [new URL(service.file('')).host] }))
})
afterAll(() => service[Symbol.asyncDispose]())

const ask = (account: string, options: string, authorization?: string) =>
  service.post(`${account}/${options}/${service.file(IMAGE)}`, {
    headers: { Accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) },
  })

const basic = (username: string, key: string): string => `Basic ${Buffer.from(`${username}:${key}`).toString('base64')}`

describe('an account with keys (§6.1)', () => {
  it.each([
    ['the newest key as Bearer', `Bearer ${KEY}`],
    ['the key before it', `bearer ${OLD}`],
    ['Basic with the username', basic('keyed', KEY)],
  ])('takes %s', async (_, authorization) => {
    expect((await ask('keyed', '20', authorization)).status).toBe(200)
  })

  it.each([
    ['none', undefined, 'needs a key'],
    ['another one', `Bearer ${NEWEST}`, 'is no key'],
    ['part of it', `Bearer ${KEY.slice(0, -1)}`, 'is no key'],
    ['that of another username', basic('anna', KEY), 'needs a key'],
  ])('refuses %s with 401 before the options are read', async (_, authorization, text) => {
    const answer = await ask('keyed', 'nonsense', authorization)
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="whittle"'])
    expect(await answer.json()).toMatchObject({ code: 'IM2ACCOUNT', error: expect.stringContaining(text) })
  })

  it('drops the oldest of three keys', async () => {
    await service.withBooks((books) => books.set('keyed', { accessKey: NEWEST }))
    expect((await ask('keyed', '20', `Bearer ${OLD}`)).status).toBe(401)
    expect((await ask('keyed', '20', `Bearer ${NEWEST}`)).status).toBe(200)
    expect((await ask('keyed', '20', `Bearer ${KEY}`)).status).toBe(200)
  })

  it('information and the explanation page need the key too', async () => {
    expect((await ask('keyed', 'info')).status).toBe(401)
    expect((await ask('keyed', 'info', `Bearer ${KEY}`)).status).toBe(200)
    const page = await fetch(`${service.url}/keyed/20/${service.file(IMAGE)}`, { headers: { Accept: 'text/html' } })
    expect([page.status, await page.text()]).toEqual([401, expect.stringContaining('needs a key')])
  })

  it('delivers live without a key, since pages cannot hold one', async () => {
    const address = `${service.url}/live/20/${service.file(IMAGE)}`
    expect((await fetch(address, { headers: { Accept: 'image/*' } })).status).toBe(200)
    expect((await ask('live', '20')).status).toBe(401)
  })

  it('writes no key into the log', () => {
    expect(log.length).toBeGreaterThan(5)
    for (const key of [OLD, KEY, NEWEST, basic('keyed', KEY)]) expect(log.join('')).not.toContain(key)
  })
})

describe('an account with restrictions (§6.1)', () => {
  it('accepts requests only from its addresses', async () => {
    expect((await ask('near', '20')).status).toBe(200)
    const refused = await ask('far', '20')
    expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ code: 'IM2ACCOUNT' })])
  })

  it.each([
    ['full', 200],
    ['40x40,crop,2x,format=webp', 200],
    ['41x40', 403],
    ['40', 403],
    ['full,format=avif', 403],
  ])('answers %s with %i', async (options, status) => {
    expect((await ask('narrow', options)).status).toBe(status)
  })

  it('never chooses a format that the account does not allow', async () => {
    const body = new Uint8Array(await readFile(join(FIXTURES, IMAGE)))
    const answer = await service.post('narrow/full', {
      headers: { 'content-type': 'image/jpeg', Accept: 'image/avif,image/webp' },
      body,
    })
    expect(['image/webp', 'image/jpeg']).toContain(answer.headers.get('content-type'))
  })
})

describe('the address of an account (§6.2)', () => {
  const about = async (account: string, authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await fetch(`${service.url}/-/account/${account}`, { headers })
    return [answer.status, answer.headers.get('cache-control'), await answer.json().catch(() => undefined)]
  }

  it('returns the limits, defaults and presets of the account', async () => {
    expect(await about('named')).toEqual([
      200,
      'no-store',
      { maxTimeout: 30, meta: 'copyright', presets: { card: '40x30,crop,quality=low' } },
    ])
  })

  it('requires the same key as POST', async () => {
    expect((await about('keyed'))[0]).toBe(401)
    expect(await about('keyed', `Bearer ${NEWEST}`)).toEqual([
      200,
      'no-store',
      { maxTimeout: 30, meta: 'none', presets: {} },
    ])
    expect((await about('far'))[0]).toBe(403)
  })

  it.each(['nobody', 'a%20b', ''])('refuses the username %j', async (username) => {
    expect([403, 404]).toContain((await about(username))[0])
  })
})

describe('presets and defaults of an account (§2.6)', () => {
  const sizeOf = async (answer: Response) => {
    const { width, height } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
    return [answer.status, answer.headers.get('warning'), width, height]
  }

  it('a preset is replaced by its options', async () => {
    expect(await sizeOf(await ask('named', 'preset=card'))).toEqual([200, null, 40, 30])
  })

  it('options next to a preset override it without a Warning', async () => {
    expect(await sizeOf(await ask('named', 'preset=card,30x30'))).toEqual([200, null, 30, 30])
  })

  it("an unknown preset lists the account's presets", async () => {
    const answer = await ask('named', 'preset=hero')
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ error: '"preset=hero" is wrong: expected a preset of this account: card.' }),
    ])
  })

  it('a result keeps the metadata that the account keeps by default', async () => {
    const source = await sharp({ create: { width: 30, height: 30, channels: 3, background: '#789' } })
      .withExif({ IFD0: { Artist: 'Ada' } })
      .jpeg()
      .toBuffer()
    const holds = async (account: string, options: string) => {
      const init = { headers: { 'content-type': 'image/jpeg' }, body: new Uint8Array(source) }
      return Buffer.from(await (await service.post(`${account}/${options}`, init)).arrayBuffer()).includes('Ada')
    }
    expect([await holds('named', '20'), await holds('named', '20,meta=none'), await holds('anna', '20')]).toEqual([
      true,
      false,
      false,
    ])
  })
})
