import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSqliteAccounts } from '../../src/adapters/accounts/sqlite.ts'
import { runAccounts } from '../../src/cli/accounts.ts'
import { ACCOUNT_FLAGS } from '../../src/cli/accounts-flags.ts'
import { COMMANDS } from '../../src/cli/accounts-help.ts'
import { makeDirectory } from './directory.ts'

describe('whittle accounts', () => {
  let directory: string
  const open = () =>
    openSqliteAccounts({
      path: join(directory, 'accounts.db'),
      trialQuota: 100,
      now: () => new Date('2026-05-30T12:00:00Z'),
    })
  const run = async (line: string | readonly string[]) => {
    const out = { stdout: '', stderr: '' }
    const sink = (name: keyof typeof out) => ({ write: (text: string) => (out[name] += text) })
    const status = await runAccounts(typeof line === 'string' ? line.split(' ').filter(Boolean) : line, {
      open,
      base: 'https://images.example.com/whittle',
      maxTimeout: 30,
      stdout: sink('stdout'),
      stderr: sink('stderr'),
    })
    return { status, ...out }
  }

  beforeEach(async () => {
    directory = await makeDirectory()
  })
  afterEach(() => rm(directory, { recursive: true }))

  test('an account is added, shown, changed, charged and removed', async () => {
    expect(await run('list')).toMatchObject({ status: 0, stdout: expect.stringContaining('no accounts yet') })
    await run('add ada --quota 500 --period month --max-bytes 1000 --max-timeout 2.5 --rate 0')
    await run('add bob.with-a_long-name --plan trial')
    const accounts = await open()
    for (const id of ['one', 'two']) await accounts.reserve('ada', id)
    await accounts.close()
    expect((await run('list')).stdout).toBe(
      [
        'USERNAME              PLAN      USED  QUOTA           STATE   LIMITS',
        'ada                   standard     2    500  a month  active  1000 bytes, 2.5 s, any rate',
        'bob.with-a_long-name  trial        0    100  in all   active  -',
        '',
      ].join('\n'),
    )
    await run('set ada --suspend --quota unlimited --max-bytes default')
    expect(JSON.parse((await run('list --json')).stdout)[0]).toEqual({
      username: 'ada',
      plan: 'standard',
      suspended: true,
      period: 'month',
      used: 2,
      limits: { maxTimeout: 2.5, rate: 0 },
    })
    expect((await run('set ada --resume')).stdout).toContain('active')
    expect((await run('usage ada')).stdout).toBe('MONTH    IMAGES\n2026-05       2\nin all        2\n')
    expect(JSON.parse((await run('usage ada --json')).stdout)).toEqual([{ period: '2026-05', used: 2 }])
    expect(await run('remove ada')).toMatchObject({ status: 0, stderr: '' })
    expect((await run('list')).stdout).not.toContain('ada')
  })

  test('a fallback image is an http address, is listed, and can be removed', async () => {
    await run('add ada --fallback https://example.com/none.png --fallback-max-age 300')
    expect((await run('list')).stdout).toContain('falls back on https://example.com/none.png\n')
    expect((await run('set ada --fallback none.png')).stderr).toContain(
      '--fallback cannot be "none.png". It takes ADDRESS or none: ',
    )
    await run('set ada --fallback none')
    expect(JSON.parse((await run('list --json')).stdout)[0]).not.toHaveProperty('fallback')
  })

  test('delivery hosts are listed in one form, and can be removed', async () => {
    await run('add ada --deliver Example.com,*.Example.ORG,b\u00fccher.example,127.0.0.1:8080')
    const list = 'example.com, *.example.org, xn--bcher-kva.example, 127.0.0.1:8080'
    expect((await run('list')).stdout).toContain(`delivers from ${list}\n`)
    expect(JSON.parse((await run('list --json')).stdout)[0].delivery).toEqual({ hosts: list.split(', '), keys: 0 })
    await run('set ada --deliver none')
    expect(JSON.parse((await run('list --json')).stdout)[0]).not.toHaveProperty('delivery')
  })

  test('an access key is printed once, and lists show the number of keys', async () => {
    await run(
      'add ada --allow-formats jpeg,webp --allow-sizes 300x200 --allow-addresses 10.0.0.0/8 --presets card=300x200,crop --meta copyright',
    )
    const key = (await run('key ada')).stdout.trim()
    expect(key).toMatch(/^[\w-]{43}$/)
    expect((await run('list')).stdout).toContain(
      'needs its key, open to 10.0.0.0/8, formats jpeg, webp, sizes 300x200, presets card, meta=copyright',
    )
    const [shown] = JSON.parse((await run('list --json')).stdout)
    expect(shown).toMatchObject({ access: { keys: 1, formats: ['jpeg', 'webp'] }, presets: { card: '300x200,crop' } })
    expect((await run('list --json')).stdout).not.toContain(key)
    await run('set ada --forget-access-keys --allow-addresses any --allow-formats any --allow-sizes any')
    expect((await run('list')).stdout).not.toContain('needs')
  })

  test.each([
    '--presets card=9x9x9',
    '--presets Card!=300',
    '--allow-sizes 0x3',
    '--allow-addresses 10.0.0.0/33',
  ])('%s is refused with what was expected', async (flag) => {
    await run('add ada')
    expect(await run(`set ada ${flag}`)).toMatchObject({ status: 2, stderr: expect.stringContaining('cannot be') })
  })

  test('keys rotate, two are valid at a time, and no list shows them', async () => {
    await run('add ada')
    const keys: string[] = []
    for (let i = 0; i < 3; i++) keys.push((await run('rotate ada')).stdout.trim())
    const [first = '', second = '', third = ''] = keys
    expect((await run('keys ada')).stdout).toBe(`${third}\n${second}\n`)
    const shown =
      (await run('list')).stdout + (await run('list --json')).stdout + (await run('set ada --resume')).stdout
    for (const key of [first, second, third]) expect(shown).not.toContain(key)
    expect(JSON.parse((await run('list --json')).stdout)[0].delivery).toEqual({ hosts: [], keys: 2 })
    await run('set ada --forget-keys')
    expect((await run('keys ada')).status).toBe(1)
  })

  test('an address is signed with the newest key by plain HMAC', async () => {
    await run('add ada')
    await run('rotate ada')
    const key = (await run('rotate ada')).stdout.trim()
    const { createHmac } = await import('node:crypto')
    const url = 'https://example.com/a%20b.jpg?v=1'
    const signature = createHmac('sha256', key).update(`ada/700,2x/${url}`).digest('base64url')
    const base = 'https://images.example.com/whittle/ada/700,2x'
    expect((await run(`sign ada 700,2x ${url}`)).stdout).toBe(`${base},sig=${signature}/${url}\n`)
    const spaced = createHmac('sha256', key).update(`ada/700, 2x/${url}`).digest('base64url')
    expect((await run(['sign', 'ada', '700, 2x', url])).stdout).toBe(
      `https://images.example.com/whittle/ada/700,%202x,sig=${spaced}/${url}\n`,
    )
    // The signature of the program's earlier address.
    expect((await run(`sign ada 700,sig=old,2x ${url}`)).stdout).toBe(`${base},sig=${signature}/${url}\n`)
    expect((await run('sign ada 700,wibble https://example.com/')).stderr).toContain('"wibble" is not an option')
  })

  test('a monthly trial gets a total quota, and a message says so', async () => {
    expect((await run('add ada --plan trial --period month')).stdout).toContain('in all, not by month')
  })

  test.each([
    ['add ada', 'There is already an account "ada".'],
    ['add a/b', '"a/b" cannot be a username. Use at most 64 letters, digits, "_", "." or "-", not starting with "-".'],
    ['set nobody --resume', 'There is no account "nobody".'],
    ['remove nobody', 'There is no account "nobody".'],
    ['usage nobody', 'There is no account "nobody".'],
    ['rotate nobody', 'There is no account "nobody".'],
    ['keys ada', 'The account "ada" has no signing key. Make one with: whittle accounts rotate ada'],
    [
      'sign ada 700 https://e.com/a.png',
      'The account "ada" has no signing key. Make one with: whittle accounts rotate ada',
    ],
  ])('accounts %s: exit 1 and one line', async (line, message) => {
    await run('add ada')
    expect(await run(line)).toEqual({ status: 1, stdout: '', stderr: `whittle: ${message}\n` })
  })

  test.each([
    ['', 'Say what to do: add, list, set, remove, key, rotate, keys, sign or usage. See: whittle accounts --help'],
    [
      'frob',
      'There is no command "frob"; use add, list, set, remove, key, rotate, keys, sign or usage. See: whittle accounts --help',
    ],
    ['constructor', 'There is no command "constructor"; use add, list, set, remove, key, rotate, keys, sign or usage.'],
    ['add', 'The username is missing. See: whittle accounts add --help'],
    ['add ada bob', 'There is one word too many: "bob".'],
    ['list ada', 'There is one word too many: "ada".'],
    ['add ada --suspend', "Unknown option '--suspend'."],
    ['set ada', 'Say what is to be changed. See: whittle accounts set --help'],
    ['set ada --suspend --resume', 'Give either --suspend or --resume.'],
    ['set ada --quoat 5', "Unknown option '--quoat'."],
    ['set ada --quota ten', '--quota cannot be "ten". It takes N or unlimited: '],
    ['set ada --quota 1.5', '--quota cannot be "1.5". It takes N or unlimited: '],
    ['set ada --quota=-5', '--quota cannot be "-5". It takes N or unlimited: '],
    ['set ada --period year', '--period cannot be "year". It takes month or total: '],
    ['set ada --plan=', '--plan cannot be "". It takes NAME: '],
    ['set ada --deliver *', '--deliver cannot be "*". It takes HOSTS or none: '],
    ['set ada --deliver *.com', '--deliver cannot be "*.com". It takes HOSTS or none: '],
    ['set ada --deliver https://example.com/', '--deliver cannot be "https://example.com/". It takes HOSTS or none: '],
    ['sign ada', 'The options are missing.'],
    ['sign ada 700', 'The image_url is missing.'],
    ['set ada --max-side 0', '--max-side cannot be "0". It takes N or default: '],
    ['set ada --max-timeout 0', '--max-timeout cannot be "0". It takes SECONDS or default: '],
  ])('accounts %s: exit 2, one line, and no account is touched', async (line, message) => {
    await run('add ada --quota 7')
    const before = await run('list --json')
    const { status, stdout, stderr } = await run(line)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^[^\n]+\n$/)
    expect(stderr).toContain(`whittle: ${message}`)
    expect(await run('list --json')).toEqual(before)
  })

  test('accounts that cannot be opened give exit status 1 and one line', async () => {
    const stderr: string[] = []
    const status = await runAccounts(['list'], {
      open: () => openSqliteAccounts({ path: '/dev/null/accounts.db', trialQuota: 1 }),
      base: '',
      maxTimeout: 30,
      stdout: { write: () => undefined },
      stderr: { write: (text: string) => stderr.push(text) },
    })
    expect(status).toBe(1)
    expect(stderr.join('')).toMatch(/^whittle: The accounts database .+ cannot be opened .+\n$/)
  })

  test.each(Object.keys(COMMANDS))('accounts %s --help shows its arguments, and opens no store', async (command) => {
    const printed: string[] = []
    const status = await runAccounts([command, '--help'], {
      open: () => Promise.reject(new Error('opened')),
      base: '',
      maxTimeout: 30,
      stdout: { write: (text: string) => printed.push(text) },
      stderr: { write: (text: string) => printed.push(text) },
    })
    expect(status).toBe(0)
    expect(printed.join('')).toMatch(new RegExp(`^whittle accounts ${command}`))
    expect((await run('--help')).stdout).toContain(`  ${command} `)
  })

  test('docs/accounts.md describes every command and every flag, and no others', async () => {
    const docs = await readFile(join(import.meta.dirname, '../../docs/accounts.md'), 'utf8')
    const rows = [...docs.matchAll(/^\| `--([^`]+)` \|/gm)].map((match) => match[1])
    const flags = ACCOUNT_FLAGS.map((flag) => (flag.value === undefined ? flag.name : `${flag.name} ${flag.value}`))
    expect(rows.map((row) => row?.replaceAll('\\|', '|'))).toEqual(flags)
    const commands = [...docs.matchAll(/^\| `whittle accounts (\w+)/gm)].map((match) => match[1])
    expect(commands).toEqual(Object.keys(COMMANDS))
  })
})
