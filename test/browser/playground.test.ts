import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage } from '../../scripts/build-page.ts'
import { makeAccessKey } from '../../src/core/access-key.ts'
import { freePort } from '../cluster/servers/process.ts'
import { type Case, FIXTURES, start } from '../http/start.ts'
import { findings, scrollsSideways } from './axe.ts'
import { openChromium } from './chromium.ts'

const PHOTO = join(FIXTURES, 'jpeg/kodim23-190x158.png')

let browser: Browser
let service: Case
beforeAll(async () => {
  await buildPage()
  browser = await openChromium()
  service = await start({ demo: true })
})
afterAll(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

interface Opened extends AsyncDisposable {
  readonly page: Page
  /** Errors of the page, except for refused requests. */
  readonly complaints: readonly string[]
}

const openPage = async ({
  url = service.url,
  width = 1440,
  height = 900,
  colorScheme = 'light' as 'light' | 'dark',
} = {}): Promise<Opened> => {
  // The test tools are injected, which the page's policy would forbid.
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    bypassCSP: false,
    acceptDownloads: true,
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  await page.goto(url)
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
}

const give = async (
  page: Page,
  files: string | readonly { name: string; mimeType: string; buffer: Buffer }[],
): Promise<void> => {
  await page.locator('input[type=file]').setInputFiles(files as string)
}

/** Requests the comparison, and waits until `count` results of it exist. */
const results = async (page: Page, count: number): Promise<void> => {
  await page.getByRole('switch', { name: 'Request all' }).check()
  await page
    .locator('.cell .headline')
    .nth(count - 1)
    .waitFor()
}

const splitOf = async (divider: Locator): Promise<number> => Number(await divider.getAttribute('aria-valuenow'))
describe('the results of the playground', () => {
  it('shows a result of each quality and format, with bytes, time and score, and downloads the chosen one', async () => {
    await using opened = await openPage()
    const { page } = opened
    await give(page, PHOTO)
    await results(page, 9)
    expect(await page.locator('.cell .fine').allInnerTexts()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^JPEG · [\d.]+ s · SSIMULACRA \d/),
        expect.stringMatching(/^AVIF · /),
      ]),
    )
    const low = page.locator('td[data-quality=low] .cell').first()
    await low.click()
    expect(await low.getAttribute('aria-pressed')).toBe('true')
    expect(await page.locator('#list').inputValue()).toBe('full,quality=low')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('kodim23-190x158.jpg')
    expect(
      readFileSync((await download.path())!)
        .subarray(0, 3)
        .toString('hex'),
    ).toBe('ffd8ff')
    expect(opened.complaints).toEqual([])
  })

  it('moves its divider by mouse and keyboard', async () => {
    await using opened = await openPage()
    const { page } = opened
    await give(page, PHOTO)
    await results(page, 1)
    const divider = page.getByRole('slider', { name: 'Divider between source and result' })
    const stage = (await page.locator('.stage').boundingBox())!
    expect(await splitOf(divider)).toBe(50)
    await page.mouse.move(stage.x + stage.width / 2, stage.y + stage.height / 2)
    await page.mouse.down()
    await page.mouse.move(stage.x + stage.width / 4, stage.y + stage.height / 2, { steps: 5 })
    await page.mouse.up()
    expect(await splitOf(divider)).toBe(25)
    await divider.focus()
    for (const [key, split] of [
      ['ArrowRight', 27],
      ['ArrowLeft', 25],
      ['PageUp', 35],
      ['Home', 0],
      ['End', 100],
    ] as const) {
      await page.keyboard.press(key)
      expect([key, await splitOf(divider)]).toEqual([key, split])
    }
  })

  it('zooms source and result together up to 400 %, and shows their difference', async () => {
    await using opened = await openPage()
    const { page } = opened
    await give(page, PHOTO)
    await results(page, 1)
    const percent = page.locator('.percent')
    expect(await percent.innerText()).toBe('100 %')
    for (const shown of ['200 %', '300 %', '400 %', '400 %']) {
      await page.getByRole('button', { name: 'Zoom in' }).click()
      expect(await percent.innerText()).toBe(shown)
    }
    const boxes = await page
      .locator('.layer:not(.difference) .world')
      .evaluateAll((worlds) => worlds.map((world) => JSON.stringify(world.getBoundingClientRect())))
    expect(boxes).toHaveLength(2)
    expect(boxes[0]).toBe(boxes[1])
    expect((JSON.parse(boxes[0]!) as DOMRect).width).toBe(190 * 4)
    await page.locator('.stage').focus()
    await page.keyboard.press('0')
    expect(await percent.innerText()).toBe('100 %')
    await page.getByRole('button', { name: 'Difference' }).click()
    await expect
      .poll(() =>
        page.locator('canvas').evaluate((canvas) => {
          const { data } = (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, 190, 158)
          const light = data.filter((_, i) => i % 4 < 3)
          return light.reduce((sum, value) => sum + value, 0) / light.length
        }),
      )
      .toSatisfy((mean: number) => mean > 0.3 && mean < 12)
  })
})

describe('the options of the playground', () => {
  it('reads a typed option list, and updates the switches', async () => {
    await using opened = await openPage()
    const { page } = opened
    await give(page, PHOTO)
    const list = page.getByLabel('Option list')
    await list.fill('80X60,corp')
    expect(await page.locator('.list-field .messages').innerText()).toBe(
      '"corp" is not an option. Did you mean "crop"?',
    )
    expect(await list.getAttribute('aria-invalid')).toBe('true')
    await list.fill('80X60,crop=left,2x')
    expect(await page.locator('.list-field .messages').innerText()).toBe(
      '80X60 was read as 80x60: options are written in lower case.',
    )
    expect(await page.getByRole('radio', { name: '2x' }).isChecked()).toBe(true)
    expect(await page.getByRole('radio', { name: 'left' }).isChecked()).toBe(true)
    await page.locator('.list .choice', { hasText: 'Pad' }).click()
    expect(await list.inputValue()).toBe('80x60,2x,pad')
  })

  it('draws the crop on the source, and sets a focal point by hand', async () => {
    await using opened = await openPage()
    const { page } = opened
    await give(page, PHOTO)
    await page.getByLabel('Option list').fill('60x100,crop=auto')
    await results(page, 1)
    const window = page.locator('.crop-window')
    await window.waitFor({ state: 'visible' })
    await page.locator('.crop-frame').scrollIntoViewIfNeeded()
    const frame = (await page.locator('.crop-frame').boundingBox())!
    const auto = (await window.boundingBox())!
    expect(auto.width / frame.width).toBeCloseTo((158 * 0.6) / 190, 1)
    await page.mouse.click(frame.x + 2, frame.y + frame.height / 2)
    expect(await page.getByLabel('Option list').inputValue()).toMatch(/^60x100,crop=0\.0\dx0\.5$/)
    expect((await window.boundingBox())!.x).toBeCloseTo(frame.x, 0)
  })

  it('shows the faces that crop=auto looks for over the source, and the focus', async () => {
    await using opened = await openPage()
    const { page } = opened
    await give(page, join(FIXTURES, 'pixels/pillow__hopper_orientation_6.jpg'))
    await page.getByLabel('Option list').fill('60x100,crop=auto')
    await page.locator('.face').waitFor()
    expect(await page.locator('.face').count()).toBe(1)
    expect(await page.locator('focus-picker .hint').innerText()).toContain('One face was found.')
    const image = (await page.locator('.crop-frame img').boundingBox())!
    const face = (await page.locator('.face').boundingBox())!
    // The head is upright in the upper half.
    expect((face.y + face.height / 2 - image.y) / image.height).toBeLessThan(0.5)
    expect((face.x + face.width / 2 - image.x) / image.width).toBeGreaterThan(0.3)
    await page.getByLabel('Option list').fill('60x100,crop')
    await expect.poll(() => page.locator('.face').count()).toBe(0)
    expect(opened.complaints).toEqual([])
  })
})

describe('the sources of the playground', () => {
  it('accepts twenty files, shows each one and their totals, and saves one archive', async () => {
    await using opened = await openPage()
    const { page } = opened
    const buffer = readFileSync(PHOTO)
    await give(page, [
      ...Array.from({ length: 19 }, (_, n) => ({ name: `photo ${n + 1}.png`, mimeType: 'image/png', buffer })),
      { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('these are notes') },
    ])
    await expect
      .poll(() => page.locator('.totals').innerText(), { timeout: 100_000 })
      .toMatch(/^19 of 20 images · .* → .* · −\d+ %$/)
    expect(await page.locator('.strip li[data-state=refused] .name').allInnerTexts()).toEqual(['notes.png'])
    await page.locator('.strip .thumb', { hasText: 'notes.png' }).click()
    expect(await page.locator('.stage-card .messages').innerText()).toContain('is not an image')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download all' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('optimised.zip')
    expect(
      readFileSync((await download.path())!)
        .subarray(0, 2)
        .toString(),
    ).toBe('PK')
    expect(opened.complaints).toEqual([])
  })

  it('fetches an image by its address, through the service', async () => {
    await using opened = await openPage()
    const { page } = opened
    await page.getByLabel('Address of an image').fill(service.file('jpeg/kodim23-190x158.png'))
    await page.getByRole('button', { name: 'Fetch' }).click()
    await results(page, 1)
    expect(await page.locator('.stage-card h2').innerText()).toBe('kodim23-190x158.png')
    expect(await page.locator('.layer.before img').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(
      190,
    )
  })
})

describe('snippets and accounts of the playground', () => {
  it('copies the request as code for programs', async () => {
    await using opened = await openPage()
    const { page } = opened
    await give(page, PHOTO)
    await results(page, 1)
    await page.getByRole('tab', { name: 'curl' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.locator('.snippets pre').innerText()).toContain('<picture>')
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('button', { name: 'Copy' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `curl -fL -F 'file=@kodim23-190x158.png' -o 'optimised-kodim23-190x158.jpg' \\\n  '${service.url}/demo/full'\n`,
    )
  })

  it('sends the access key of an account that needs one, and keeps it out of the snippets', async () => {
    const accessKey = makeAccessKey()
    await using keyed = await start({ demo: true, accounts: { shop: { accessKey } } })
    await using opened = await openPage({ url: keyed.url })
    const { page } = opened
    expect(await page.getByLabel('Key', { exact: true }).isVisible()).toBe(false)
    await give(page, PHOTO)
    await page.getByLabel('Account').fill('shop')
    await page.getByText('needs a key').first().waitFor()
    await page.getByLabel('Key', { exact: true }).fill(accessKey)
    await results(page, 1)
    const snippet = await page.locator('.snippets pre').innerText()
    expect(snippet).toContain('-H "Authorization: Bearer $WHITTLE_KEY"')
    expect(await page.locator('body').innerText()).not.toContain(accessKey)
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await scrollsSideways(page)).toBe(false)
    expect(await findings(page)).toEqual([])
    // A key is sent for the account alone that it was typed for.
    await page.getByLabel('Account').fill('other')
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('')
  })

  it('keeps a result of one account out of another that is named meanwhile', async () => {
    await using keyed = await start({ demo: true, accounts: { shop: { accessKey: makeAccessKey() } } })
    await using opened = await openPage({ url: keyed.url })
    const { page } = opened
    const answered = Promise.withResolvers<void>()
    const named = Promise.withResolvers<void>()
    await page.route('**/demo/**', async (route) => {
      const response = await route.fetch()
      answered.resolve()
      await named.promise
      // The page may have aborted the request.
      await route.fulfill({ response }).catch(() => undefined)
    })
    await give(page, PHOTO)
    await answered.promise
    await page.getByLabel('Account').fill('shop')
    named.resolve()
    await page.getByText('needs a key').first().waitFor()
  })

  it('offers the presets of an account, and writes them out when another switch changes', async () => {
    const presets = new Map([['card', '60x40,crop']])
    await using named = await start({ demo: true, accounts: { shop: { presets } } })
    await using opened = await openPage({ url: named.url })
    const { page } = opened
    const field = page.getByLabel('Preset', { exact: true })
    expect(await field.isVisible()).toBe(false)
    await give(page, PHOTO)
    await page.getByLabel('Account').fill('shop')
    await field.selectOption('card')
    expect(await page.getByLabel('Option list').inputValue()).toBe('preset=card')
    expect(await page.getByLabel('Width').inputValue()).toBe('60')
    await results(page, 1)
    expect(await page.locator('.snippets pre').innerText()).toContain('/shop/preset=card')
    expect(await findings(page)).toEqual([])
    await page.getByRole('radio', { name: 'low' }).check()
    expect(await page.getByLabel('Option list').inputValue()).toBe('60x40,crop,quality=low')
    // Another account has other presets.
    await page.getByLabel('Account').fill('other')
    await field.waitFor({ state: 'hidden' })
  })
})

describe('requests of the playground that wait, fail or are cancelled', () => {
  it('waits for an unreachable service, and continues when it is back', async () => {
    const gone = await start({ demo: true, env: { PORT: String(await freePort()) } })
    await using opened = await openPage({ url: gone.url })
    const { page } = opened
    await give(page, PHOTO)
    await results(page, 9)
    await gone.stop()
    await page.getByLabel('Option list').fill('50')
    await page.locator('.notice').waitFor({ state: 'visible' })
    await using back = await start({ env: { PORT: String(gone.port) }, demo: true })
    expect(back.port).toBe(gone.port)
    await page.locator('.notice').waitFor({ state: 'hidden' })
    await results(page, 9)
    await gone[Symbol.asyncDispose]()
  })

  it('requests the comparison only when it is switched on', async () => {
    await using opened = await openPage()
    const { page } = opened
    await give(page, PHOTO)
    await page.locator('.stage-card .saved', { hasText: '%' }).waitFor()
    expect(await page.locator('.cell .headline').count()).toBe(1)
    expect(await page.locator('.cell', { hasText: 'request it' }).count()).toBe(8)
  })

  it('explains scores, the difference view and its gain', async () => {
    await using opened = await openPage()
    const { page } = opened
    await give(page, PHOTO)
    await page.locator('.stage-card .saved', { hasText: '%' }).waitFor()
    expect(await page.locator('.score').innerText()).toMatch(/\d\d\.\d\s+looks like the source at 100 %/)
    await page.getByRole('button', { name: 'Difference' }).click()
    await page.getByLabel('Gain').selectOption('16')
    expect(await page.locator('.legend').innerText()).toContain('Brighter: a larger difference, shown 16 times.')
    expect(await page.locator('canvas').evaluate((canvas) => canvas.style.filter)).toBe('brightness(16)')
  })

  it('refuses a file that is too large before it is uploaded, and removes it', async () => {
    await using small = await start({ demo: true, env: { MAX_SOURCE_BYTES: '10KB' } })
    await using opened = await openPage({ url: small.url })
    const { page } = opened
    const asked: string[] = []
    page.on('request', (request) => request.method() === 'POST' && asked.push(request.url()))
    await give(page, PHOTO)
    await expect
      .poll(() => page.locator('.stage-card .messages').innerText())
      .toMatch(/The limit is 10\.0 KB. It was not uploaded/)
    expect(asked).toEqual([])
    await page.getByRole('button', { name: 'Remove the image' }).click()
    await expect.poll(() => page.locator('.stage-card').isVisible()).toBe(false)
  })

  it('requests a refused result again', async () => {
    await using opened = await openPage()
    const { page } = opened
    let fails = true
    await page.route('**/demo/**', async (route) => {
      if (!fails) return route.continue()
      fails = false
      return route.fulfill({ status: 503, body: 'The service is overloaded. Try again in a moment.' })
    })
    await give(page, PHOTO)
    await page.getByRole('button', { name: 'Try again', exact: true }).click()
    await page.locator('.stage-card .saved', { hasText: '%' }).waitFor()
    expect(await page.getByRole('button', { name: 'Try again', exact: true }).isVisible()).toBe(false)
  })

  it('shows the seconds of a request and cancels it', async () => {
    await using opened = await openPage()
    const { page } = opened
    await page.route('**/demo/**', () => undefined)
    await give(page, PHOTO)
    await page.locator('.progress', { hasText: /Working: [1-9]\d* s/ }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => page.locator('.stage-card .messages').innerText()).toBe('Cancelled.')
    expect(await page.locator('.progress').isVisible()).toBe(false)
  })

  it('shows a timeout as such, and not as a result', async () => {
    await using opened = await openPage()
    const { page } = opened
    await page.route('**/demo/**', (route) =>
      route.fulfill({
        status: 200,
        contentType: 'image/png',
        headers: { Warning: '299 - "The timeout expired before anything was made: this is the untouched source."' },
        body: readFileSync(PHOTO),
      }),
    )
    await give(page, PHOTO)
    await expect.poll(() => page.locator('.stage-card .saved').innerText()).toBe('timed out')
    expect(await page.locator('.facts').innerText()).toBe('')
    expect(await page.locator('.cell[aria-pressed=true]').innerText()).toContain('timed out after')
  })
})

describe('the page of the playground', () => {
  it('links to all options and to the interface for programs', async () => {
    await using opened = await openPage()
    const { page } = opened
    await page.getByRole('link', { name: 'Options' }).click()
    await page.getByRole('heading', { name: 'Options' }).waitFor()
    expect(await page.locator('th code').allInnerTexts()).toContain('crop=auto')
    expect(await findings(page)).toEqual([])
  })

  it.each([
    ['320 px, as at 400 %', { width: 320, height: 640, colorScheme: 'light' }],
    ['a wide page, light', { width: 1440, colorScheme: 'light' }],
    ['a wide page, dark', { width: 1440, colorScheme: 'dark' }],
    ['a phone, light', { width: 390, height: 844, colorScheme: 'light' }],
    ['a phone, dark', { width: 390, height: 844, colorScheme: 'dark' }],
  ] as const)('has nothing that axe-core finds, and nothing beyond its edge: %s', async (_, view) => {
    await using opened = await openPage(view)
    const { page } = opened
    expect(await findings(page)).toEqual([])
    await give(page, [
      { name: 'a.png', mimeType: 'image/png', buffer: readFileSync(PHOTO) },
      { name: 'b.png', mimeType: 'image/png', buffer: Buffer.from('nothing') },
    ])
    await page.getByLabel('Option list').fill('60X100,crop=auto')
    await results(page, 9)
    await page.locator('.crop-window').waitFor({ state: 'visible' })
    expect(await findings(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    // Content that the panel clips must be reachable by scrolling.
    const clipped = await page
      .locator('.panel *')
      .evaluateAll((parts) =>
        parts
          .filter(
            (part) => part.getBoundingClientRect().right > innerWidth && part.closest('.crop-frame, svg') === null,
          )
          .map((part) => part.outerHTML.slice(0, 80)),
      )
    expect(clipped).toEqual([])
  })

  it.each([400, 900, 1280])('name, saving and figures of a result do not overlap at %i px', async (width) => {
    await using opened = await openPage({ width })
    const { page } = opened
    await give(page, PHOTO)
    const parts = page.locator('.stage-card > header').locator('h2, .saved, .facts, .button')
    await page.locator('.stage-card .saved', { hasText: '%' }).waitFor()
    const boxes = await parts.evaluateAll((all) => all.map((part) => part.getBoundingClientRect().toJSON() as DOMRect))
    expect(boxes).toHaveLength(4)
    expect(boxes.filter((box) => box.width < 20)).toEqual([])
    const overlaps = boxes.flatMap((one, index) =>
      boxes
        .slice(index + 1)
        .filter((two) => one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom),
    )
    expect(overlaps).toEqual([])
  })
})

describe('the explanation of an address', () => {
  it('says that the focus of crop=auto is unknown, and draws no window', async () => {
    const source = service.file('jpeg/kodim23-190x158.png')
    await using opened = await openPage({ url: `${service.url}/demo/60x100,crop=auto/${source}` })
    const { page } = opened
    await page.getByRole('button', { name: 'Show it here' }).click()
    await page.locator('.crop-frame img').waitFor()
    expect(await page.locator('focus-picker .hint').innerText()).toBe('The result will show the crop.')
    expect(await page.locator('.crop-window').isVisible()).toBe(false)
    expect(await findings(page)).toEqual([])
  })

  it.each([
    ['a wide page, light', { width: 1440, colorScheme: 'light' }],
    ['a phone, dark', { width: 390, height: 844, colorScheme: 'dark' }],
  ] as const)('copies the address that was meant, and shows the source with its crop: %s', async (_, view) => {
    const source = service.file('jpeg/kodim23-190x158.png')
    const before = service.origin.requests.length
    await using opened = await openPage({ ...view, url: `${service.url}/demo/60X100,crop=left/${source}` })
    const { page } = opened
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Copy' }).first().click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `${service.url}/demo/60x100,crop=left/${source}`,
    )
    expect(service.origin.requests).toHaveLength(before)
    await page.getByRole('button', { name: 'Show it here' }).click()
    const window = page.locator('.crop-window')
    await window.waitFor({ state: 'visible' })
    const frame = (await page.locator('.crop-frame').boundingBox())!
    expect((await window.boundingBox())!.x).toBeCloseTo(frame.x, 0)
    expect(await findings(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    expect(opened.complaints).toEqual([])
  })
})
