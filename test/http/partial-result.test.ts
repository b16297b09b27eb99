import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Case, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start({ env: { WORKERS: '1' } })
})
afterAll(() => service[Symbol.asyncDispose]())
// Searches that a timeout interrupted complete in the background first.
afterEach(() => expect.poll(service.leftovers).toEqual([]))

const PICTURE = 'jpeg/testdata__flower_small.q85_420_non_interleaved.jpg'

describe('a search that a timeout interrupts (§5.2)', () => {
  interface Reply {
    readonly status: number
    readonly warning: string | null
    readonly timing: string | null
    readonly score: number
    readonly body: Buffer
  }
  const ask = async (options: string): Promise<Reply> => {
    // Results that take longer than REDIRECT_AFTER are at their result address.
    const answer = await service.post(`anna/${options}/${service.file(PICTURE)}`, { redirect: 'follow' })
    return {
      status: answer.status,
      warning: answer.headers.get('warning'),
      timing: answer.headers.get('server-timing'),
      score: Number(answer.headers.get('x-score')),
      body: Buffer.from(await answer.arrayBuffer()),
    }
  }
  /** Raises the timeout until a search is interrupted after its first result, so that the speed of the machine does not matter. */
  const cutShort = async (options: string): Promise<Reply> => {
    await ask('20')
    let cut = await ask(`${options},timeout=0.3`)
    for (let timeout = 0.5; !cut.warning?.includes('left no time') && timeout < 15; timeout *= 1.5)
      cut = await ask(`${options},timeout=${timeout}`)
    expect(cut.warning).toContain('left no time')
    return cut
  }
  const LONG = 'fit,format=avif,quality=high'

  it('a partial result is the response; it is never reused, and timeout is not part of the key', async () => {
    const cut = await cutShort(`800,${LONG}`)
    expect(cut.status).toBe(200)
    const whole = await ask(`800,${LONG}`)
    // Its source is a smaller JPEG, which a Warning reports.
    expect([whole.status, whole.warning]).toEqual([200, expect.not.stringContaining('left no time')])
    expect([whole.score >= 85, whole.body.equals(cut.body)]).toEqual([true, false])
    // It is stored now, and found with any timeout.
    const again = await ask(`800,${LONG},timeout=0.01`)
    expect([again.status, again.warning, again.body.equals(whole.body)]).toEqual([200, whole.warning, true])
    expect(again.timing).not.toContain('decode')
  })

  it('the search of a partial result is completed in the background and stored', async () => {
    const cut = await cutShort(`790,${LONG}`)
    await expect.poll(service.leftovers).toEqual([])
    const kept = await ask(`790,${LONG},timeout=0.3`)
    expect([kept.warning, kept.timing]).toEqual([
      expect.not.stringContaining('left no time'),
      expect.not.stringContaining('decode'),
    ])
    expect([kept.score >= 85, kept.body.equals(cut.body)]).toEqual([true, false])
  })
})
