import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveSite } from '../../site/serve.ts'
import { findings, scrollsSideways } from '../browser/axe.ts'
import { openChromium } from '../browser/chromium.ts'

let browser: Browser
let site: Awaited<ReturnType<typeof serveSite>>
beforeAll(async () => {
  browser = await openChromium()
  site = await serveSite()
})
afterAll(async () => {
  await browser?.close()
  site?.stop()
})

interface Opened extends AsyncDisposable {
  readonly page: Page
  /** Addresses that the page asked for, on other hosts. */
  readonly elsewhere: readonly string[]
}

const open = async (path: string, width: number, colorScheme: 'light' | 'dark'): Promise<Opened> => {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
  const page = await context.newPage()
  const elsewhere: string[] = []
  page.on('request', (request) => request.url().startsWith(site.url) || elsewhere.push(request.url()))
  await page.goto(site.url + path, { waitUntil: 'networkidle' })
  // Vue handles keys from then on.
  await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}))
  return { page, elsewhere, [Symbol.asyncDispose]: () => context.close() }
}

const SIZES = [1440, 390] as const
const COLOURS = ['light', 'dark'] as const
const PAGES = [
  '/',
  '/guides/five-minutes.html',
  '/guides/from-imgproxy.html',
  '/guides/how-quality-works.html',
  '/options.html',
  '/deploy.html',
]

describe('the site', () => {
  it.each(
    PAGES.flatMap((path) => SIZES.flatMap((width) => COLOURS.map((colours) => [path, width, colours] as const))),
  )('%s at %i px, %s: axe finds nothing, nothing sticks out, nothing comes from elsewhere', async (path, width, colours) => {
    await using opened = await open(path, width, colours)
    expect(await findings(opened.page)).toEqual([])
    expect(await scrollsSideways(opened.page)).toBe(false)
    expect(opened.elsewhere).toEqual([])
  })

  it('finds by searching, without another host, and goes there', async () => {
    await using opened = await open('/', 1440, 'light')
    const { page } = opened
    await page.keyboard.press('Control+k')
    await page.locator('#localsearch-input').fill('trim border')
    await page.locator('.VPLocalSearchBox .result').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\.html/)
    // The address changes before the new page is drawn.
    await page.locator('main').filter({ hasText: /trim/i }).waitFor()
    expect(opened.elsewhere).toEqual([])
  })

  it('lists every page for programs in llms.txt, each as Markdown whose links lead to Markdown', async () => {
    const read = async (path: string) => {
      const answer = await fetch(site.url + path)
      expect([path, answer.status]).toEqual([path, 200])
      return answer.text()
    }
    const linksIn = (text: string): readonly string[] =>
      [...text.replaceAll(/^```[\s\S]*?^```|`[^`\n]+`/gm, '').matchAll(/\]\(([^()\s]+)\)/g)].map(([, link]) => link!)
    const pages = linksIn(await read('/llms.txt'))
    expect(pages.length).toBeGreaterThan(30)
    for (const page of pages) {
      const text = await read(`/${page}`)
      expect(text).toMatch(/^(?:<!--.*-->\s*)?# /)
      const links = linksIn(text).filter((link) => !/^[a-z]+:|^#/.test(link))
      for (const link of links) await read(new URL(link.split('#')[0]!, `http://site/${page}`).pathname)
      expect(links.filter((link) => /\.html/.test(link))).toEqual([])
    }
    await using opened = await open('/options.html', 1440, 'light')
    expect(await opened.page.locator('link[rel=alternate]').getAttribute('href')).toBe('/options.md')
  })

  it('shows its menu on a phone', async () => {
    await using opened = await open('/options.html', 390, 'dark')
    const { page } = opened
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'From imgproxy' }).click()
    await page.waitForURL(/from-imgproxy/)
    await page.locator('h1', { hasText: 'From imgproxy' }).waitFor()
  })
})
