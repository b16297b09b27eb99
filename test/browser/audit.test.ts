import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { scratchDirectory } from '../scratch.ts'
import { openChromium } from './chromium.ts'

vi.setConfig({ testTimeout: 180_000 })

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts')
const PHOTO = readFileSync(resolve(import.meta.dirname, '../fixtures/jpeg/kodim23-190x158.png'))
const PAGES = 20

interface Report {
  readonly pages: readonly string[]
  readonly images: readonly {
    readonly url: string
    readonly isLargest: boolean
    readonly uses: readonly {
      readonly role: string
      readonly shown: { readonly width: number; readonly height: number }
    }[]
    readonly measured: { readonly reason?: string }
    readonly findings: readonly { readonly kind: string }[]
  }[]
  readonly savedBytesAMonth: number
}

const run = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((done) => {
    execFile(process.execPath, [MAIN, 'audit', ...args], (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    )
  })

/** A page whose script inserts the photograph, sized by CSS, and tries forbidden requests. */
const pageText = (page: number): string => `<!doctype html><title>${page}</title><link rel=stylesheet href=/style.css>
  <h1>${page}</h1><div class=box></div><main></main><a href=/${(page + 1) % PAGES}.html>next</a>
  <script src=/script.js></script>`
const SCRIPT = `const image = new Image(); image.src = '/img/photo.png?inserted'; image.className = 'hero'
  document.querySelector('main').append(image)
  fetch('/secret', { method: 'POST', body: 'x' }).catch(() => {}); fetch('/private/x').catch(() => {})
  fetch('http://127.0.0.2:1/elsewhere').catch(() => {}); new WebSocket('ws://' + location.host + '/socket')`

const requests: string[] = []
let open = 0
let mostOpen = 0
const server = createServer((request, response) => {
  const { method, url = '' } = request
  requests.push(`${method} ${url}`)
  open += 1
  mostOpen = Math.max(mostOpen, open)
  response.on('close', () => {
    open -= 1
  })
  const page = /^\/(\d+)\.html$/.exec(url)?.[1]
  if (url === '/robots.txt') response.end('User-agent: *\nDisallow: /private')
  else if (url === '/style.css')
    response.end('.hero { width: 60px } .box { width: 20px; height: 10px; background: url(/img/photo.png) }')
  else if (url === '/script.js') response.end(SCRIPT)
  else if (url.startsWith('/img/')) response.end(PHOTO)
  else if (page !== undefined) response.end(pageText(Number(page)))
  else response.writeHead(404).end()
})
server.on('upgrade', (request, socket) => {
  requests.push(`UPGRADE ${request.url}`)
  socket.destroy()
})
let base: string
let scratch: string
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  scratch = await scratchDirectory('audit')
})
afterAll(() => void server.close())

describe('whittle audit --browser', () => {
  it('reads 20 pages with their scripts: inserted images, shown sizes and the largest content', async () => {
    const { code, stdout, stderr } = await run(`${base}/0.html`, '--pages', `${PAGES}`, '--browser', '--report', 'json')
    expect([code, stderr]).toEqual([0, ''])
    const { pages, images, savedBytesAMonth } = JSON.parse(stdout) as Report
    expect(pages).toHaveLength(PAGES)
    const [first, second] = images
    expect(first).toMatchObject({ url: `${base}/img/photo.png?inserted`, isLargest: true })
    expect(first!.uses[0]).toMatchObject({ role: 'img', shown: { width: 60, height: 50 } })
    expect(first!.findings.map(({ kind }) => kind)).toEqual(['smaller', 'oversize', 'no-size'])
    expect(second!.uses[0]).toMatchObject({ role: 'background', shown: { width: 20, height: 10 } })
    expect(savedBytesAMonth).toBeGreaterThan(0)
  })

  it('sends one request at a time, each address once, and no forbidden one', () => {
    expect(mostOpen).toBe(1)
    expect(new Set(requests).size).toBe(requests.length)
    expect(requests.filter((request) => !request.startsWith('GET ') || /secret|private|socket/.test(request))).toEqual(
      [],
    )
  })

  it('reads a folder without access to other files', async () => {
    const site = join(scratch, 'site')
    mkdirSync(join(site, 'a'), { recursive: true })
    writeFileSync(join(scratch, 'outside.png'), PHOTO)
    writeFileSync(join(site, 'photo.png'), PHOTO)
    writeFileSync(
      join(site, 'a/b.html'),
      `<!doctype html><img src=/photo.png style="width:80px"><img src="file://${scratch}/outside.png" width=9 height=9>`,
    )
    const { images, pages } = JSON.parse((await run(site, '--browser', '--report', 'json')).stdout) as Report
    expect([pages, images.map(({ url }) => url)]).toEqual([['file:///a/b.html'], ['file:///photo.png']])
  })

  it('reports that Chromium is missing', async () => {
    const env = { ...process.env, PATH: '/nowhere', CHROMIUM_PATH: undefined }
    const stderr = await new Promise((done) => {
      execFile(process.execPath, [MAIN, 'audit', base, '--browser'], { env }, (_, __, text) => done(text))
    })
    expect(stderr).toContain('--browser needs Chromium or Chrome')
  })
})

it('the report of an audit fits on a phone and on a desktop', async () => {
  const file = join(scratch, 'report.html')
  await run(`${base}/0.html`, '--html', file)
  const browser = await openChromium()
  try {
    for (const width of [390, 1280]) {
      const page = await browser.newPage({ viewport: { width, height: 900 } })
      await page.goto(`file://${file}`)
      const seen = () =>
        page.evaluate(() => ({
          scrolls: document.documentElement.scrollWidth > innerWidth,
          shown: [...document.images].filter(({ naturalWidth }) => naturalWidth > 0).length,
        }))
      await expect.poll(seen, { message: `${width} px` }).toEqual({ scrolls: false, shown: 2 })
    }
  } finally {
    await browser.close()
  }
})
