import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { signDelivery } from '../../packages/client/src/sign.ts'
import { makeSigningKey } from '../../src/core/signing-key.ts'
import { examplesOf, isRunnable, outputOf } from './examples.ts'

const directory = mkdtempSync(join(tmpdir(), 'whittle-signing-'))
afterAll(() => rmSync(directory, { recursive: true }))

const KEY = makeSigningKey()
const SOURCE = 'https://example.com/photo.jpg'
const EXAMPLES = examplesOf('docs/signing.md').filter(isRunnable)

it('docs/signing.md has a function for PHP, Python and Ruby', () => {
  expect(EXAMPLES.map(({ language }) => language)).toEqual(['php', 'python', 'ruby'])
})

it.each(EXAMPLES)('the function for $language makes the address that the client makes', async ({ language, code }) => {
  const signature = await signDelivery(KEY, { account: 'shop', options: '700,2x', source: SOURCE })
  const context = { directory, env: { ...process.env, WHITTLE_KEY: KEY } }
  const { printed, problem } = await outputOf(language, code, context)
  expect([problem, printed.trim()]).toEqual([
    undefined,
    `https://images.example.com/shop/700,2x,sig=${signature}/${encodeURIComponent(SOURCE)}`,
  ])
  const wrong = await outputOf(language, code.replace('700,2x', 'fff/x'), context)
  expect([wrong.printed, wrong.problem]).toEqual([
    expect.not.stringContaining('sig='),
    expect.stringMatching(/hold no slash/i),
  ])
  const body = code.slice(code.search(/^(?:function|def) /m)).split(/\n\n/)[0]!
  expect(body.trim().split('\n').length).toBeLessThanOrEqual(10)
})
