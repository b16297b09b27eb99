import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { scratchDirectory } from '../scratch.ts'

// Tools start processes that optimise, on possibly busy machines.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts')
const PHOTO = resolve(import.meta.dirname, '../fixtures/jpeg/kodim23-190x158.png')

const scratch = await scratchDirectory('mcp')
const site = join(scratch, 'site')
mkdirSync(site, { recursive: true })
copyFileSync(PHOTO, join(site, 'photo.png'))
copyFileSync(PHOTO, join(scratch, 'secret.png'))
symlinkSync(join(scratch, 'secret.png'), join(site, 'link.png'))
symlinkSync(scratch, join(site, 'up'))
writeFileSync(join(site, 'index.html'), '<img src=photo.png width=60 height=50>')

const client = new Client({ name: 'test', version: '1' })
beforeAll(() =>
  client.connect(new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', site], stderr: 'inherit' })),
)
afterAll(() => client.close())

interface Answer {
  readonly isError: boolean
  readonly text: string
}

const call = async (name: string, given: Readonly<Record<string, unknown>>, of = client): Promise<Answer> => {
  const { content, isError } = await of.callTool({ name, arguments: given }, undefined, { timeout: 100_000 })
  return { isError: isError === true, text: (content as { text: string }[]).map(({ text }) => text).join('\n') }
}

describe('whittle mcp, called by the client of the official SDK', () => {
  it('lists its four tools with their arguments', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name, inputSchema }) => [name, inputSchema.required])).toEqual([
      ['optimise', ['path']],
      ['compare', ['reference', 'candidate']],
      ['explain', ['options']],
      ['audit', ['target']],
    ])
  })

  it("optimises a file into the format of the output's name, and measures it", async () => {
    const { text, isError } = await call('optimise', { path: 'photo.png', output: 'photo.webp' })
    expect([isError, text]).toEqual([false, expect.stringMatching(/Result: webp, 190 x 158 px.\nSSIMULACRA 2.1 /)])
    expect(readFileSync(join(site, 'photo.webp')).subarray(8, 12).toString()).toBe('WEBP')
  })

  it('optimises to JPEG XL for an output named .jxl', async () => {
    const { text } = await call('optimise', { path: 'photo.png', output: 'photo.jxl' })
    expect(text).toContain('Result: jxl')
    expect(existsSync(join(site, 'photo.jxl'))).toBe(true)
  })

  it('replaces a file only with "overwrite"', async () => {
    writeFileSync(join(site, 'there.jpg'), 'mine')
    const refused = await call('optimise', { path: 'photo.png', output: 'there.jpg' })
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('Set "overwrite"')])
    expect(readFileSync(join(site, 'there.jpg'), 'utf8')).toBe('mine')
    await call('optimise', { path: 'photo.png', output: 'there.jpg', overwrite: true })
    expect(readFileSync(join(site, 'there.jpg')).readUInt16BE(0)).toBe(0xffd8)
  })

  it('compares two files and draws their difference', async () => {
    const { text } = await call('compare', { reference: 'photo.png', candidate: 'photo.png', difference: 'd.png' })
    expect(text).toContain('SSIMULACRA 2.1: 100.00')
    expect(existsSync(join(site, 'd.png'))).toBe(true)
  })

  it('explains an option list, and what a wrong one probably meant', async () => {
    expect((await call('explain', { options: '300x200,crop' })).text).toContain('300 x 200 CSS px')
    const wrong = await call('explain', { options: '300x200,corp' })
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('Probably meant: 300x200,crop')])
  })

  it('audits a folder and writes the report', async () => {
    const { text } = await call('audit', { target: '.', html: 'report.html' })
    expect(text).toContain('shown at 60 CSS px')
    expect(readFileSync(join(site, 'report.html'), 'utf8')).toContain('data:image/png;base64,')
  })

  it.each([
    ['optimise', { path: '../secret.png' }],
    ['optimise', { path: 'link.png' }],
    ['optimise', { path: 'photo.png', output: '../out.png' }],
    ['optimise', { path: 'photo.png', output: 'up/out.png', overwrite: true }],
    ['compare', { reference: 'photo.png', candidate: '/etc/passwd' }],
    ['audit', { target: 'up' }],
  ])('refuses %s with %j, which leads out of the allowed folders', async (name, given) => {
    const { isError, text } = await call(name, given)
    expect([isError, text]).toEqual([true, expect.stringContaining('outside of the allowed folders')])
    expect([existsSync(join(scratch, 'out.png')), existsSync('/out.png')]).toEqual([false, false])
  })
})

describe('the tool audit of a site at a private address', () => {
  const server = createServer((request, response) => {
    if (request.url === '/photo.png') response.end(readFileSync(PHOTO))
    else response.end('<img src=photo.png width=60 height=50>')
  })
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
  afterAll(() => void server.close())
  const target = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  it('a private site is refused without --allow-private', async () => {
    const refused = await call('audit', { target: target() })
    expect([refused.isError, refused.text]).toEqual([
      true,
      expect.stringMatching(/ cannot be read: its robots.txt cannot be read: 127\.0\.0\.1 is a private address/),
    ])
    const allowed = new Client({ name: 'test', version: '1' })
    const args = [MAIN, 'mcp', '--allow-private', site]
    await allowed.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }))
    const heard: number[] = []
    try {
      const { content } = await allowed.callTool({ name: 'audit', arguments: { target: target() } }, undefined, {
        timeout: 100_000,
        onprogress: ({ total }) => void heard.push(total ?? 0),
      })
      expect(JSON.stringify(content)).toContain('shown at 60 CSS px')
      expect(heard).toEqual([1])
    } finally {
      await allowed.close()
    }
  })
})

it('requires an existing folder', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [MAIN, 'mcp', ...args], { encoding: 'utf8', input: '' })
  expect([run().status, run('--help').status]).toEqual([2, 0])
  expect(run(join(scratch, 'nothing'))).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('There is no file'),
  })
})

it('ends with the reason when a message is too long', () => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'mcp', site], {
    encoding: 'utf8',
    input: `${'a'.repeat(11e6)}\n`,
  })
  expect([status, stderr]).toEqual([1, expect.stringContaining('whittle: The connection to the agent broke: ')])
})

describe('a signal during work', () => {
  const LARGE = resolve(import.meta.dirname, '../fixtures/http/large.png')
  const temporary = join(scratch, 'temporary')
  const work = join(scratch, 'work')
  mkdirSync(temporary)
  mkdirSync(work)
  copyFileSync(LARGE, join(work, 'large.png'))
  writeFileSync(join(work, 'index.html'), '<img src=large.png>')

  /** Starts a command and ends it when it has temporary files. Resolves with its exit code. */
  const endDuringWork = async (signal: NodeJS.Signals, args: readonly string[], input = ''): Promise<number | null> => {
    const stdio = ['pipe', 'ignore', 'inherit'] as const
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: [...stdio],
    })
    child.stdin.write(input)
    await expect.poll(() => readdirSync(temporary).length).toBeGreaterThan(0)
    const ended = once(child, 'exit')
    child.kill(signal)
    const [code] = (await ended) as [number | null]
    return code
  }

  it('ends the tools of agents, and leaves no temporary files', async () => {
    const messages = [
      {
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'optimise', arguments: { path: 'large.png' } } },
    ]
    const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')
    expect(await endDuringWork('SIGTERM', ['mcp', work], input)).toBe(0)
    expect(readdirSync(temporary)).toEqual([])
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)('%s ends an audit, and leaves no temporary files', async (signal) => {
    expect(await endDuringWork(signal, ['audit', work])).toBe(1)
    expect(readdirSync(temporary)).toEqual([])
  })

  it('a closed terminal ends "optimise", which leaves no temporary files', async () => {
    expect(await endDuringWork('SIGHUP', ['optimise', '--out', join(scratch, 'out'), join(work, 'large.png')])).toBe(
      130,
    )
    expect(readdirSync(temporary)).toEqual([])
  })
})
