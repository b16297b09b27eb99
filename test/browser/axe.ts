import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Findings of axe-core on a page, as sentences. */
export const findings = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const axe = (
      window as unknown as {
        axe: { run: () => Promise<{ violations: { help: string; nodes: { html: string }[] }[] }> }
      }
    ).axe
    const { violations } = await axe.run()
    return violations.map(({ help, nodes }) => `${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  })
}

export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
