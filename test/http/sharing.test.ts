import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Case, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start({ accounts: { bert: {} } })
})
afterAll(() => service[Symbol.asyncDispose]())
afterEach(() => expect.poll(service.leftovers).toEqual([]))

const PICTURE = 'jpeg/kodim23-190x158.png'
const decodes = () => service.metric('whittle_stage_seconds_count', 'stage="decode"')
const ask = async (options: string, username = 'anna', cacheControl = '') => {
  const query = cacheControl === '' ? '' : `?header=${encodeURIComponent(`Cache-Control: ${cacheControl}`)}`
  const answer = await service.post(`${username}/${options}/${service.file(PICTURE)}${query}`)
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) }
}
/** The number of computations that `action` caused. */
const worked = async (action: () => Promise<unknown>): Promise<number> => {
  const before = await decodes()
  await action()
  return (await decodes()) - before
}

describe('shared work', () => {
  it('concurrent requests for the same result share one computation', async () => {
    let bodies: Buffer[] = []
    const pieces = await worked(async () => {
      const answers = await Promise.all([
        ...Array.from({ length: 8 }, () => ask('20x20,crop')),
        ask('crop,20x20', 'bert'),
      ])
      bodies = answers.map(({ body }) => body)
    })
    expect(pieces).toBe(1)
    expect(bodies.every((body) => body.equals(bodies[0]!) && body.length > 0)).toBe(true)
  })

  it('a later request gets the stored result', async () => {
    let pair: Awaited<ReturnType<typeof ask>>[] = []
    expect(
      await worked(async () => (pair = [await ask('21'), await ask('21', 'bert'), await ask('21,timeout=3')])),
    ).toBe(1)
    expect(pair.every(({ body }) => body.equals(pair[0]!.body))).toBe(true)
    expect(pair[1]!.headers.get('x-score')).toBe(pair[0]!.headers.get('x-score'))
  })

  it.each([
    'private',
    'private, max-age=60',
  ])('the result of a %s source is shared within an account only (§5.3)', async (cacheControl) => {
    const width = cacheControl.length + 5
    expect(await worked(() => ask(`${width}`, 'anna', cacheControl))).toBe(1)
    expect(await worked(() => ask(`${width}`, 'anna', cacheControl))).toBe(0)
    expect(await worked(() => ask(`${width}`, 'bert', cacheControl))).toBe(1)
  })

  it('the result of a no-store source is not stored', async () => {
    for (let turn = 0; turn < 2; turn += 1) expect(await worked(() => ask('32', 'anna', 'no-store'))).toBe(1)
  })

  it('shared work continues when the first client disconnects', async () => {
    const leaving = new AbortController()
    const url = `${service.url}/anna/93,quality=high/${service.file(PICTURE)}`
    const first = fetch(url, { method: 'POST', signal: leaving.signal }).catch(() => undefined)
    await expect.poll(() => service.metric('whittle_jobs_under_way'), { interval: 2 }).toBe(1)
    const second = ask('93,quality=high')
    leaving.abort()
    await first
    expect((await second).status).toBe(200)
  })
})

describe('the headers of a result (§5)', () => {
  it('the headers describe the work', async () => {
    const { headers } = await ask('34')
    expect(headers.get('server-timing')).toMatch(/fetch;dur=[\d.]+.*queue;dur=.*decode;dur=/)
    expect(headers.get('x-source-bytes')).toBe('63314')
    expect(Number(headers.get('x-encodes'))).toBeGreaterThan(0)
    expect(Number(headers.get('x-score'))).toBeGreaterThan(20)
    // nginx names requests itself, without hyphens.
    expect(headers.get('x-request-id')?.replaceAll('-', '')).toMatch(/^[0-9a-f]{32}$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})
