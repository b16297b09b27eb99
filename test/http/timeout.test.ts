import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Case, FIXTURES, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start({ env: { WORKERS: '1' }, accounts: { one: { quota: 1 } } })
})
afterAll(() => service[Symbol.asyncDispose]())

/** Expires before any result, on any machine. The search goes on and is stored, so each test needs a size of its own. */
const EXPIRED = 'timeout=0.000001'

const PICTURE = 'jpeg/testdata__flower_small.q85_420_non_interleaved.jpg'

describe('when the timeout expires (§5.2)', () => {
  it('the response without a result is an uncharged 303 to the source, with a Warning', async () => {
    const url = `${service.file(PICTURE)}?a=b,c`
    const answer = await service.post(`one/20,${EXPIRED}/${encodeURIComponent(url)}`)
    expect([answer.status, answer.headers.get('location'), answer.headers.get('cache-control')]).toEqual([
      303,
      url,
      'no-store',
    ])
    expect(answer.headers.get('warning')).toMatch(/timeout expired.*untouched source/)
    await answer.text()
    const charged = await service.post(`one/30/${service.file('jpeg/kodim23-190x158.png')}`)
    await charged.arrayBuffer()
    expect(charged.status).toBe(200)
  })

  it('an upload without a result gets its own bytes, with a Warning', async () => {
    const own = await readFile(join(FIXTURES, PICTURE))
    const answer = await service.post(`anna/21,${EXPIRED}`, { body: own, headers: { 'content-type': 'image/jpeg' } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect(answer.headers.get('warning')).toMatch(/timeout expired.*untouched source/)
    expect(Buffer.from(await answer.arrayBuffer()).equals(own)).toBe(true)
  })

  it("an upload's own bytes are returned without metadata (§3.5)", async () => {
    const own = await readFile(join(FIXTURES, PICTURE))
    const secret = Buffer.from('Exif\0\0 taken at 52.5 N 13.4 E')
    const segment = Buffer.concat([Buffer.of(0xff, 0xe1, 0, secret.length + 2), secret])
    const body = Buffer.concat([own.subarray(0, 2), segment, own.subarray(2), segment])
    const answer = await service.post(`anna/22,${EXPIRED}`, { body, headers: { 'content-type': 'image/jpeg' } })
    expect([answer.status, answer.headers.get('x-source-bytes')]).toEqual([200, String(body.length)])
    expect(Buffer.from(await answer.arrayBuffer()).equals(own)).toBe(true)
  })

  const ACTIVE = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script>${'<path d="M0 0"/>'.repeat(3000)}</svg>`
  it.each([
    'full,timeout=0.01',
    '900,format=png,timeout=0.01',
    'full,timeout=0.000001',
  ])('an SVG that was not sanitised in time is never sent: %s', async (options) => {
    const answer = await service.post(`anna/${options}`, {
      body: `${ACTIVE}<!-- ${options} -->`,
      headers: { 'content-type': 'image/svg+xml' },
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([504, 'text/plain; charset=utf-8'])
    expect(await answer.text()).toMatch(/could not be processed in the time allowed/)
  })

  it('a format whose metadata cannot be removed is never sent back', async () => {
    const body = await readFile(join(FIXTURES, 'source/serenity__ccitt4.tiff'))
    const answer = await service.post(`anna/23,${EXPIRED}`, { body, headers: { 'content-type': 'image/tiff' } })
    expect(answer.status).toBe(504)
    await answer.text()
  })

  it('an SVG with its own address gets a 303 to it', async () => {
    const url = service.file('svg/sharp__check.svg')
    const answer = await service.post(`anna/full,${EXPIRED}/${url}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, url])
    await answer.text()
  })

  it('a source with a password gets its own bytes instead of a Location', async () => {
    const url = service.origin.url(`/auth/${PICTURE}`).replace('://', '://ada:secret@')
    const answer = await service.post(`anna/24,${EXPIRED}/${url}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null])
    expect(JSON.stringify([...answer.headers])).not.toContain('secret')
    await answer.arrayBuffer()
  })
})
