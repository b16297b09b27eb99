import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RawAnswer, sendRaw } from './raw.ts'
import { type Case, PAST_ONE_MACHINE, start } from './start.ts'

let service: Case
let open: Case
beforeAll(async () => {
  service = await start({
    demo: true,
    env: { TRIAL_QUOTA: '1' },
    accounts: {
      trial: { plan: 'trial' },
      three: { quota: 3 },
      counted: { quota: 2 },
      same: { quota: 2 },
      off: { suspended: true },
      fast: { limits: { rate: 2 } },
      spent: { quota: 0 },
      ungained: { quota: 1 },
    },
  })
  open = await start({ demo: true, env: { HOST: '0.0.0.0', WORKERS: '1' } })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await open[Symbol.asyncDispose]()
})
afterEach(() => expect.poll(service.leftovers).toEqual([]))

const PICTURE = 'jpeg/kodim23-190x158.png'
// Results of up to 34 pixels take a fifth of the CPU of 60 pixels.
const ask = async (username: string, options = '27', name = PICTURE, headers: Record<string, string> = {}) => {
  const answer = await service.post(`${username}/${options}/${service.file(name)}`, { headers })
  return {
    status: answer.status,
    text: Buffer.from(await answer.arrayBuffer()).toString('latin1'),
    headers: answer.headers,
  }
}

describe('accounts (§6, §7)', () => {
  it('a trial ends with 402 that names the next step', async () => {
    expect((await ask('trial')).status).toBe(200)
    const answer = await ask('trial')
    expect([answer.status, answer.text]).toEqual([402, expect.stringMatching(/trial.*full account/)])
    const json = await ask('trial', '27', PICTURE, { accept: 'image/*,application/im2+json' })
    expect(JSON.parse(json.text)).toMatchObject({ status: 402, code: 'IM2ACCOUNT' })
  })

  it('concurrent requests never exceed a quota, and errors and explanations cost nothing', async () => {
    for (const options of ['wrong', 'full,format=webm']) expect((await ask('three', options)).status).toBe(400)
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async (_, at) => (await ask('three', `${28 + at}`)).status),
    )
    expect(statuses.sort()).toEqual([200, 200, 200, 402, 402, 402])
  })

  it('X-Quota-Remaining counts down, and is absent without a quota (§5)', async () => {
    const left = async (username: string, options: string) =>
      (await ask(username, options)).headers.get('x-quota-remaining')
    expect([await left('counted', '27'), await left('counted', '28'), await left('anna', '27')]).toEqual([
      '1',
      '0',
      null,
    ])
  })

  it('a stored result is charged too', async () => {
    expect([(await ask('same')).status, (await ask('same')).status, (await ask('same')).status]).toEqual([
      200, 200, 402,
    ])
  })

  it('the unchanged source is not charged, whether computed or stored', async () => {
    const statuses = []
    for (let turn = 0; turn < 3; turn += 1)
      statuses.push((await ask('ungained', 'full', 'motion/libgd__delay_0.gif')).status)
    expect(statuses).toEqual([200, 200, 200])
    expect((await ask('ungained')).status).toBe(200)
    expect((await ask('ungained')).status).toBe(402)
  })

  it('a suspended account gets 403', async () => {
    expect(await ask('off')).toMatchObject({ status: 403, text: expect.stringContaining('suspended') })
  })

  it('requests beyond the rate get 429 with Retry-After', async () => {
    const answers = [await ask('fast'), await ask('fast'), await ask('fast')]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('16 requests at once from one account are all answered (§7)', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 16 }, async (_, at) => (await ask('anna', `${10 + at}`)).status),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it.each([
    ['username before options and address', 'nobody/wrong/relative', 403],
    ['options before address', 'spent/wrong/relative', 400],
    ['address before quota', 'spent/full/relative', 404],
    ['quota before source', 'spent/full/http://no-such-host.invalid/', 402],
  ])('judges %s', async (_, target, status) => {
    const answer = await service.post(target)
    await answer.text()
    expect(answer.status).toBe(status)
  })
})

// A proxy hides which machine sent the request.
const WORKS = PAST_ONE_MACHINE === undefined ? 200 : 403

describe('the account demo', () => {
  it('the account demo works on this machine', async () => expect((await ask('demo')).status).toBe(WORKS))
  it.each([
    'x-forwarded-for',
    'forwarded',
    'via',
    'x-real-ip',
    'x-forwarded-proto',
  ])('the account demo is refused with %s', async (name) => {
    expect(await ask('demo', '27', PICTURE, { [name]: 'for=127.0.0.1' })).toMatchObject({
      status: 403,
      text: expect.stringContaining('whittle accounts add'),
    })
  })
  // A proxy before the service refuses so many headers itself.
  it.skipIf(PAST_ONE_MACHINE !== undefined)(
    'the account demo is refused with the header of a proxy behind thousands of others',
    async () => {
      const many = 'a:\r\n'.repeat(2_100)
      expect((await post(`Host: localhost:PORT\r\n${many}X-Forwarded-For: 192.0.2.1`)).status).toBe(403)
    },
  )
  it('the account demo is refused beyond loopback', async () => {
    const answer = await fetch(`http://127.0.0.1:${open.port}/demo/full/${open.file(PICTURE)}`, { method: 'POST' })
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('whittle accounts add')])
  })

  const post = (headers: string): Promise<RawAnswer> =>
    sendRaw(
      service.port,
      `POST /demo/27/${service.file(PICTURE)} HTTP/1.1\r\n${headers.replaceAll('PORT', String(service.port))}\r\nConnection: close\r\n\r\n`,
    )
  it.each([
    'Host: 127.0.0.1:PORT',
    'Host: localhost:PORT',
    'Host: [::1]:PORT',
    'Host: localhost:PORT\r\nOrigin: http://localhost:PORT',
  ])('the account demo works with %j', async (headers) => expect((await post(headers)).status).toBe(WORKS))
  it.each([
    ['a name that resolves to this machine (proxy, DNS rebinding)', 'Host: images.example'],
    ['a name that begins like localhost', 'Host: localhost.example'],
    ['a page of another site', 'Host: 127.0.0.1:PORT\r\nOrigin: https://example.com'],
    ['a page of another service on this machine', 'Host: 127.0.0.1:PORT\r\nOrigin: http://127.0.0.1:1'],
    ['a page without an origin', 'Host: 127.0.0.1:PORT\r\nOrigin: null'],
  ])('the account demo is refused to %s', async (_, headers) => {
    const { status, body } = await post(headers)
    expect([status, body.toString()]).toEqual([403, expect.stringContaining('whittle accounts add')])
  })
})

describe('guessing usernames', () => {
  // Each node counts the attempts that it receives.
  it.skipIf(PAST_ONE_MACHINE !== undefined)(
    'guessing ends after a few attempts, and never affects known clients of the same address',
    async () => {
      await using guessed = await start({ accounts: { bert: {} } })
      const statusOf = async (username: string) => {
        const answer = await guessed.post(`${username}/wrong/http://example.com/a.png`)
        await answer.text()
        return { status: answer.status, retryAfter: answer.headers.get('retry-after') }
      }
      expect((await statusOf('anna')).status).toBe(400)
      for (let at = 0; at < 20; at += 1) expect((await statusOf(`nobody${at}`)).status).toBe(403)
      for (const username of ['nobody20', 'bert'])
        expect(await statusOf(username)).toEqual({ status: 429, retryAfter: '60' })
      expect((await statusOf('anna')).status).toBe(400)
      const page = async (username: string) => {
        const accept = { accept: 'text/html' }
        const answer = await fetch(`${guessed.url}/${username}/full/http://example.com/a.png`, { headers: accept })
        return { status: answer.status, text: (await answer.text()).replaceAll(username, '') }
      }
      // The page of an address does not reveal more than its status.
      const ofUnknown = await page('nobody20')
      expect(ofUnknown.status).toBe(429)
      expect(await page('bert')).toEqual(ofUnknown)
    },
  )
})
