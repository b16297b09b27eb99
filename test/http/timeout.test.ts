import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Case, FIXTURES, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start({ env: { WORKERS: '1' } })
})
afterAll(() => service[Symbol.asyncDispose]())
afterEach(() => expect.poll(service.leftovers).toEqual([]))

/** Without a child process yet: to start one takes longer than 10 ms. */
const startCold = () => start({ env: { WORKERS: '1' }, accounts: { one: { quota: 1 } } })

const PICTURE = 'jpeg/testdata__flower_small.q85_420_non_interleaved.jpg'

describe('when the timeout expires (§5.2)', () => {
  it('with nothing made, the answer is 303 to the source, not charged, with a Warning', async () => {
    await using cold = await startCold()
    const url = `${cold.file(PICTURE)}?a=b,c`
    const answer = await cold.post(`one/100,timeout=0.01/${encodeURIComponent(url)}`)
    expect([answer.status, answer.headers.get('location'), answer.headers.get('cache-control')]).toEqual([
      303,
      url,
      'no-store',
    ])
    expect(answer.headers.get('warning')).toMatch(/timeout expired.*untouched source/)
    await answer.text()
    const charged = await cold.post(`one/20/${cold.file('jpeg/kodim23-190x158.png')}`)
    await charged.arrayBuffer()
    expect(charged.status).toBe(200)
  })

  it('with nothing made of an upload, the answer is its own bytes, with a Warning', async () => {
    await using cold = await startCold()
    const own = await readFile(join(FIXTURES, PICTURE))
    const answer = await cold.post('anna/100,timeout=0.01', { body: own, headers: { 'content-type': 'image/jpeg' } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect(answer.headers.get('warning')).toMatch(/timeout expired.*untouched source/)
    expect(Buffer.from(await answer.arrayBuffer()).equals(own)).toBe(true)
  })

  it('no password gets into a Location: the bytes themselves are sent', async () => {
    await using cold = await startCold()
    const url = cold.origin.url(`/auth/${PICTURE}`).replace('://', '://ada:secret@')
    const answer = await cold.post(`anna/100,timeout=0.01/${url}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null])
    expect(JSON.stringify([...answer.headers])).not.toContain('secret')
    await answer.arrayBuffer()
  })

  it('with something made, that is the answer; it is never reused, and timeout is no part of what is stored', async () => {
    const warm = await service.post(`anna/20/${service.file(PICTURE)}`)
    await warm.arrayBuffer()
    const ask = async (options: string) => {
      const answer = await service.post(`anna/${options}/${service.file(PICTURE)}`)
      return {
        status: answer.status,
        warning: answer.headers.get('warning'),
        body: Buffer.from(await answer.arrayBuffer()),
        timing: answer.headers.get('server-timing'),
      }
    }
    const cut = await ask('full,quality=high,timeout=0.05')
    expect(cut.warning).toMatch(/timeout expired/)
    expect([200, 303]).toContain(cut.status)
    const whole = await ask('full,quality=high')
    expect([whole.status, whole.warning]).toEqual([200, null])
    expect(whole.timing).toContain('decode')
    if (cut.status === 200) expect(whole.body.length).toBeLessThanOrEqual(cut.body.length)
    // Stored now, and found whatever the timeout.
    const again = await ask('full,quality=high,timeout=0.01')
    expect([again.status, again.warning, again.body.equals(whole.body)]).toEqual([200, null, true])
    expect(again.timing).not.toContain('decode')
  })
})
