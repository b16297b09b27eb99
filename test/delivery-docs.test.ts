import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { makeSigningKey, readSigningKey } from '../src/core/signing-key.ts'
import { readHostList, signAddress } from '../src/service/deliver/delivery-right.ts'

const DOCUMENT = readFileSync(new URL('../docs/delivery.md', import.meta.url), 'utf8')
const blocks = (language: string): string[] =>
  [...DOCUMENT.matchAll(/```(\w+)\n([\s\S]*?)```/g)].flatMap(([, name, code]) => (name === language ? [code!] : []))

const KEY = makeSigningKey()
const OPTIONS = '700,2x'
const SOURCE = 'https://example.com/a%20b.jpg?v=1'
const SIGNATURE = signAddress(readSigningKey(KEY)!, { username: 'shop', list: OPTIONS, imageUrl: SOURCE })
const run = (program: string, args: readonly string[]): string =>
  execFileSync(program, args, { encoding: 'utf8' }).trim()

describe('docs/delivery.md', () => {
  it('signs in JavaScript as the service does', () => {
    const code = `${blocks('js')[0]}\nconsole.log(address(${JSON.stringify(KEY)}, '${OPTIONS}', '${SOURCE}'))`
    const printed = run(process.execPath, ['--input-type=module', '-e', code])
    expect(printed).toBe(`https://images.example.com/shop/${OPTIONS},sig=${SIGNATURE}/${SOURCE}`)
  })

  it('signs in Python as the service does', () => {
    const given = `import base64, hmac\nkey, options, source = ${JSON.stringify([KEY, OPTIONS, SOURCE])}\n`
    expect(run('python3', ['-c', `${given}${blocks('python')[0]}\nprint(signature)`])).toBe(SIGNATURE)
  })

  it('signs in a shell as the service does', () => {
    const recipe = blocks('sh').find((code) => code.includes('openssl')) ?? ''
    const lines = execFileSync('bash', ['-ec', recipe], { encoding: 'utf8', env: { ...process.env, KEY } })
    const imageUrl = 'https://example.com/a.jpg'
    const signature = signAddress(readSigningKey(KEY)!, { username: 'shop', list: OPTIONS, imageUrl })
    expect(lines.trim()).toBe(`https://images.example.com/shop/${OPTIONS},sig=${signature}/${imageUrl}`)
  })

  it('lists hosts that can be listed', () => {
    const [, list = ''] = /--deliver '([^']+)'/.exec(blocks('sh').join('\n')) ?? []
    expect(readHostList(list)).toEqual(['example.com', '*.example.org'])
  })
})
