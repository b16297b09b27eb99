import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { openChromium } from '../../browser/chromium.ts'
import { type Arena, type Attack, isDocumented } from '../attack.ts'
import { upload } from '../send.ts'
import { ACTIVE_DOCUMENTS, CONTROLS } from './xss-documents.ts'

/** How a page shows an SVG: opened itself, as an object, and inlined as markup. */
const WAYS = ['direct', 'object', 'inline'] as const
type Way = (typeof WAYS)[number]

/** A page's server: the document under test at `/a.svg` without any header that would hold it back, and pages that embed it. */
const openStage = async () => {
  let markup = ''
  let hits = 0
  const pages: Readonly<Record<string, () => { readonly type: string; readonly body: string }>> = {
    '/direct': () => ({ type: 'image/svg+xml', body: markup }),
    '/object': () => ({
      type: 'text/html',
      body: '<!doctype html><meta charset=utf-8><object data="/direct" type="image/svg+xml"></object><img src="/direct"><iframe src="/direct"></iframe>',
    }),
    '/inline': () => ({ type: 'text/html', body: `<!doctype html><meta charset=utf-8><div>${markup}</div>` }),
  }
  const server = createServer((request, response) => {
    const page = pages[request.url ?? '']?.()
    if (page === undefined && request.url?.startsWith('/hit') === true) hits += 1
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': page?.type ?? 'text/plain' })
    response.end(page?.body)
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const { port } = server.address() as { readonly port: number }
  return {
    /** Whether the document ran a script or loaded anything, shown in this way. */
    acts: async (page: Page, document: string, way: Way): Promise<boolean> => {
      markup = document
      hits = 0
      let alerts = 0
      const onDialog = (dialog: { readonly dismiss: () => Promise<void> }): void => {
        alerts += 1
        void dialog.dismiss()
      }
      page.on('dialog', onDialog)
      await page.goto(`http://127.0.0.1:${port}/${way}`, { waitUntil: 'load' })
      for (const link of await page.locator('a').all()) await link.dispatchEvent('click').catch(() => undefined)
      await page.waitForTimeout(50)
      page.off('dialog', onDialog)
      return alerts + hits > 0
    },
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  }
}

/** Every markup that the service gives out for a document: in time, too late, packed. */
const answersTo = async (arena: Arena, document: string): Promise<readonly { status: number; markup: string }[]> => {
  const source = Buffer.from(document, 'latin1')
  const sent = [
    ['full,timeout=10', source],
    ['full,timeout=0.001', source],
    ['900,format=png,timeout=0.001', source],
    ['full,timeout=10', gzipSync(source)],
  ] as const
  const replies = []
  for (const [options, body] of arena.short ? sent.slice(0, 2) : sent) {
    const { status, type, body: answer } = await upload(arena, options, body)
    replies.push({ status, markup: type.startsWith('image/svg') ? answer.toString('utf8') : '' })
  }
  return replies
}

/** Documents that run or load, opened in a real browser as the service gives them out. */
export const XSS: Attack = {
  name: 'xss',
  run: async (arena) => {
    const problems: string[] = []
    let tries = 0
    const stage = await openStage()
    const browser = await openChromium()
    try {
      const page = await browser.newPage()
      for (const control of CONTROLS)
        for (const way of WAYS)
          if (!(await stage.acts(page, control, way))) problems.push(`the browser does not show what runs: ${way}`)
      for (const [name, document] of ACTIVE_DOCUMENTS) {
        const seen = new Set<string>()
        for (const { status, markup } of await answersTo(arena, document)) {
          tries += 1
          if (!isDocumented(status)) problems.push(`${name}: ${status}`)
          if (markup === '' || seen.has(markup)) continue
          seen.add(markup)
          for (const way of WAYS)
            if (await stage.acts(page, markup, way)) problems.push(`${name} acts, ${way}: ${markup.slice(0, 200)}`)
        }
      }
    } finally {
      await browser.close()
      await stage.close()
    }
    return { tries, problems }
  },
}
