import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

// These tests start processes that optimise, on possibly busy machines.
vi.setConfig({ testTimeout: 120_000 })

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts')
const PHOTO = resolve(import.meta.dirname, '../fixtures/jpeg/kodim23-190x158.png')

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (...args: string[]): Promise<Ran> =>
  new Promise((done) => {
    execFile(process.execPath, [MAIN, 'audit', ...args], (error, stdout, stderr) => {
      done({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
  })

interface Report {
  readonly pages: readonly string[]
  readonly images: readonly {
    readonly url: string
    readonly isLargest: boolean
    readonly savedBytes: number
    readonly measured: {
      readonly kind: string
      readonly reason?: string
      readonly result?: { readonly options: string }
    }
    readonly findings: readonly { readonly kind: string; readonly advice: string }[]
  }[]
  readonly problems: readonly { readonly url: string; readonly reason: string }[]
  readonly totals: { readonly images: number; readonly failed: number; readonly savedPercent: number }
}

const reportOf = ({ stdout }: Ran): Report => JSON.parse(stdout) as Report

const scratch = mkdtempSync(join(tmpdir(), 'whittle-audit-test-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** A site of `pages` pages: each links to the next, all show one photograph, and each an address of its own that fails. */
const PAGES = 20
const requests: { path: string; agent: string; open: number }[] = []
let open = 0
const answer = (request: IncomingMessage, response: ServerResponse): void => {
  const path = request.url ?? ''
  open += 1
  requests.push({ path, agent: request.headers['user-agent'] ?? '', open })
  response.on('close', () => {
    open -= 1
  })
  const page = /^\/(\d+)\.html$/.exec(path)?.[1]
  if (path === '/robots.txt') response.end('User-agent: *\nDisallow: /secret')
  else if (path === '/style.css') response.end('h1 { background: url(/img/photo.png?background) }')
  else if (path.startsWith('/img/photo.png')) response.end(readFileSync(PHOTO))
  else if (page !== undefined && Number(page) < PAGES)
    response.end(`<link rel=stylesheet href=style.css><a href="${Number(page) + 1}.html">next</a><a href="/secret/x.html">no</a>
      <a href="http://127.0.0.2:1/elsewhere.html">other</a><img src="img/photo.png" width=60 height=50><img src="/secret/a.png"><img src="http://127.0.0.2:1/b.png">`)
  else {
    response.statusCode = 404
    response.end('nothing')
  }
}

describe('whittle audit of a site', () => {
  let server: Server
  let base: string
  beforeAll(async () => {
    server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())

  it('reads the allowed number of pages, one request at a time, and obeys robots.txt and the address guard', async () => {
    requests.length = 0
    const report = reportOf(await run(`${base}/0.html`, '--pages', '3', '--report', 'json'))
    expect(report.pages.map((url) => url.replace(base, ''))).toEqual(['/0.html', '/1.html', '/2.html'])
    expect(Math.max(...requests.map((request) => request.open))).toBe(1)
    expect(requests.filter(({ path }) => path === '/img/photo.png')).toHaveLength(1)
    expect(new Set(requests.map(({ agent }) => agent))).toEqual(new Set(['WhittleAudit']))
    expect(requests.filter(({ path }) => path.startsWith('/secret'))).toEqual([])
    const reasons = new Map(report.images.map(({ url, measured }) => [url.replace(base, ''), measured.reason]))
    expect(reasons.get('/secret/a.png')).toContain('robots.txt')
    expect(reasons.get('http://127.0.0.2:1/b.png')).toBeDefined()
    expect(report.pages.some((url) => url.includes('127.0.0.2'))).toBe(false)
  })

  it('finds an image that is larger than its shown size, and resizes it', async () => {
    const { images, totals } = reportOf(await run(`${base}/0.html`, '--report', 'json'))
    const photo = images.find(({ url }) => url === `${base}/img/photo.png`)!
    expect(photo.measured.result!.options).toBe('60,2x,quality=medium')
    expect(photo.findings.map(({ kind }) => kind)).toEqual(['smaller', 'oversize'])
    expect(images.some(({ url }) => url.endsWith('?background'))).toBe(true)
    expect([totals.failed, totals.savedPercent > 80]).toEqual([2, true])
  })

  it('writes one HTML file with both pictures of each image and without scripts', async () => {
    const file = join(scratch, 'report.html')
    await run(`${base}/0.html`, '--html', file)
    const html = readFileSync(file, 'utf8')
    expect(html.match(/<img src="data:image\/(?:png|jpeg|webp);base64,/g)).toHaveLength(4)
    expect(html).not.toContain('<script')
  })

  it('exits with 1 and the reason above the percentage of --check', async () => {
    const strict = await run(`${base}/0.html`, '--check', '10')
    expect([strict.code, strict.stderr]).toEqual([
      1,
      expect.stringMatching(/\d % of the bytes could be saved; --check allows 10 %/),
    ])
    expect((await run(`${base}/0.html`, '--check', '99.9')).code).toBe(0)
  })

  it('exits with 1 and one sentence when the first page is missing', async () => {
    const { code, stderr } = await run(`${base}/nothing.html`)
    expect([code, stderr.split('\n').length]).toEqual([1, 2])
    expect(stderr).toContain('404')
  })

  it('reports the results so far when the time of --max-seconds is over', async () => {
    const { code, stdout } = await run(`${base}/0.html`, '--pages', '20', '--max-seconds', '2')
    expect([code, stdout]).toEqual([0, expect.stringContaining('were left out: --max-seconds raises the limit.')])
  })
})

describe('whittle audit of a folder', () => {
  it('reads every page below it, resolves addresses from its root, and reads no file outside of it', async () => {
    const site = join(scratch, 'site')
    mkdirSync(join(site, 'a'), { recursive: true })
    mkdirSync(join(site, 'node_modules'), { recursive: true })
    writeFileSync(join(site, 'photo.png'), readFileSync(PHOTO))
    writeFileSync(join(scratch, 'outside.png'), readFileSync(PHOTO))
    symlinkSync(join(scratch, 'outside.png'), join(site, 'link.png'))
    writeFileSync(
      join(site, 'a/b.html'),
      '<img src=/photo.png><img src=../photo.png><img src=/link.png><img src=../../outside.png>',
    )
    writeFileSync(join(site, 'node_modules/c.html'), '<img src=x.png>')
    const report = reportOf(await run(site, '--report', 'json'))
    expect(report.pages).toEqual(['file:///a/b.html'])
    expect(report.images.map(({ url, measured }) => [url, measured.kind])).toEqual([
      ['file:///photo.png', 'measured'],
      ['file:///link.png', 'failed'],
      ['file:///outside.png', 'failed'],
    ])
  })

  it.each([
    'nowhere',
    'ftp://example.com',
    'example.com',
  ])('refuses "%s", which is neither folder nor address', async (target) => {
    expect((await run(target)).stderr).toBe(
      `whittle: "${target}" is neither a folder here nor an address. Addresses start with http:// or https://.\n`,
    )
  })

  it('exits with 2 and a hint at its help for wrong usage', async () => {
    const wrong = await Promise.all([
      run(),
      run('a', 'b'),
      run('a', '--pages', '0'),
      run('a', '--quality', 'best'),
      run('a', '--nothing'),
    ])
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2])
    expect(wrong[3]!.stderr).toBe(
      'whittle: --quality takes low, medium, high, not "best".\nSee: whittle audit --help\n',
    )
  })
})
