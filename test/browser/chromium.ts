import { access } from 'node:fs/promises'
import { type Browser, chromium } from 'playwright-core'

/** Debian's path. CHROMIUM_PATH overrides it. */
const PATH = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'

/** Limit of a start and of each step of a page. A busy machine must not reach it. */
const PATIENCE_MS = 100_000

/** Starts headless Chromium. Without it the test fails, since a skipped test would prove nothing. */
export const openChromium = async (): Promise<Browser> => {
  await access(PATH).catch(() => {
    throw new Error(`There is no Chromium at ${PATH}: apt-get install chromium, or set CHROMIUM_PATH.`)
  })
  const browser = await chromium.launch({
    executablePath: PATH,
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required', '--force-color-profile=srgb'],
    timeout: PATIENCE_MS,
  })
  return browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS))
}
