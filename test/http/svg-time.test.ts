import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type Case, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start({ env: { WORKERS: '1' } })
})
afterAll(() => service[Symbol.asyncDispose]())
afterEach(() => expect.poll(service.leftovers).toEqual([]))

/** Ten elements that cause 10^10 drawings. */
const BOMB = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><defs><rect id="l0" width="9" height="9"/>${Array.from(
  { length: 10 },
  (_, level) => `<g id="l${level + 1}">${`<use href="#l${level}"/>`.repeat(10)}</g>`,
).join('')}</defs><use href="#l10"/></svg>`

const ask = async (options: string) => {
  const answer = await service.post(`anna/${options}`, { body: BOMB, headers: { 'content-type': 'image/svg+xml' } })
  return { status: answer.status, text: await answer.text(), warning: answer.headers.get('warning') }
}

it('an SVG that cannot be drawn in time is refused without drawing it', async () => {
  expect(await ask('100')).toMatchObject({
    status: 422,
    text: expect.stringContaining('refer to each other too often'),
  })
  expect((await ask('full,format=png,timeout=15')).status).toBe(422)
  // No child had to be killed.
  expect(await service.metric('whittle_child_restarts_total')).toBe(0)
})

it('the same SVG as markup is only sanitised', async () => {
  const { status, text, warning } = await ask('full,timeout=15')
  expect([status, warning]).toEqual([200, null])
  expect(text).toContain('<svg')
  expect(text.length).toBeLessThanOrEqual(BOMB.length)
})
