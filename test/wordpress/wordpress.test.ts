import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChromium } from '../browser/chromium.ts'
import { freePort } from '../cluster/servers/process.ts'
import { type Case, FIXTURES, start } from '../http/start.ts'
import { scratchDirectory } from '../scratch.ts'
import { startWordPress, type WordPress } from './servers.ts'

const BULK = 50
const PHOTO = join(FIXTURES, 'jpeg/kodim23-190x158.png')
/** Where pictures of the pages are kept, to look at them. */
const SCREENSHOTS = process.env['SCREENSHOTS']

let wordpress: WordPress
let service: Case
let browser: Browser
let page: Page
let files: string
let servicePort: number

const startService = (): Promise<Case> =>
  start({ env: { PORT: `${servicePort}` }, accounts: { blog: {}, poor: { quota: 1 } } })

const look = async (name: string): Promise<void> => {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true })
}

const admin = (path: string) => page.goto(`${wordpress.url}/wp-admin/${path}`)

/** A photograph that differs from those of other numbers; of 150 x 120 px, which needs no other size, and from 1000 on of 480 x 384 px. */
const photo = async (number: number, extension: 'jpg' | 'png' = 'jpg'): Promise<string> => {
  const path = join(files, `photo-${number}.${extension}`)
  const image = sharp(PHOTO)
    .extract({ left: number % 40, top: number % 30, width: 150, height: 120 })
    .modulate({ hue: (number * 7) % 360 })
    .resize(number < 1000 ? 150 : 480, number < 1000 ? 120 : 384)
  await (extension === 'jpg' ? image.jpeg({ quality: 92 }) : image.png()).toFile(path)
  return path
}

const upload = async (path: string): Promise<void> => {
  await admin('media-new.php?browser-uploader')
  await page.setInputFiles('#async-upload', path)
  await page.click('#html-upload')
  await page.waitForURL(/upload\.php/)
}

const uploads = (): readonly string[] =>
  readdirSync(join(wordpress.directory, 'wp-content/uploads'), { recursive: true }).map(String).toSorted()

const pathOf = (ending: string): string =>
  join(
    wordpress.directory,
    'wp-content/uploads',
    uploads().find((name) => name.endsWith(ending) && !name.startsWith('whittle'))!,
  )

const columnOf = (title: string): Promise<string> =>
  page.locator('tr', { hasText: title }).locator('td.column-whittle').innerText()

beforeAll(async () => {
  files = await scratchDirectory('wordpress-files')
  servicePort = await freePort()
  ;[wordpress, service, browser] = await Promise.all([
    startWordPress({ withPlugin: false }),
    startService(),
    openChromium(),
  ])
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(`${wordpress.url}/wp-login.php`)
  await page.fill('#user_login', 'admin')
  await page.fill('#user_pass', 'secret')
  await page.click('#wp-submit')
  await page.waitForURL(/wp-admin/)
})
afterAll(async () => {
  await browser?.close()
  await Promise.all([wordpress?.[Symbol.asyncDispose](), service?.[Symbol.asyncDispose]()])
})

describe('the settings page', () => {
  it('is there once the zip file is uploaded and activated', async () => {
    const zip = join(files, 'whittle.zip')
    execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/build-wordpress.ts'), zip])
    await admin('plugin-install.php?tab=upload')
    await page.setInputFiles('#pluginzip', zip)
    await page.click('#install-plugin-submit')
    await page.click('text=Activate Plugin')
    await page.waitForURL(/plugins\.php/)
    await admin('options-general.php?page=whittle')
    expect(await page.textContent('h1')).toBe('Whittle')
  })

  const test = async (url: string, account: string): Promise<string> => {
    await page.fill('#whittle-url', url)
    await page.fill('#whittle-account', account)
    await page.click('#whittle-test')
    const result = page.locator('#whittle-test-result .notice-success, #whittle-test-result .notice-error')
    return result.innerText()
  }

  it('says what is wrong with a connection, and that one works', async () => {
    expect(await test('', '')).toContain('Enter the address')
    expect(await test(`http://127.0.0.1:${await freePort()}`, 'blog')).toMatch(/cannot be reached/)
    expect(await test(wordpress.url, 'blog')).toMatch(/no Whittle service at this address|does not lead to a Whittle/)
    expect(await test(service.url, 'nobody')).toContain('There is no account "nobody"')
    await look('settings-wrong')
    expect(await test(service.url, 'poor')).toBe('The connection works. The account has 0 images left.')
    expect(await test(service.url, 'poor')).toContain('The quota of account "poor" is used up')
    expect(await test(service.url, 'blog')).toBe('The connection works.')
    await look('settings')
  })

  it('keeps what was entered', async () => {
    await page.click('#submit')
    await page.waitForURL(/settings-updated/)
    expect(await page.inputValue('#whittle-url')).toBe(service.url)
  })
})

describe('an upload', () => {
  it('gets every size optimised in the background, with AVIF next to it where that is smaller', async () => {
    const path = await photo(1001)
    const source = readFileSync(path)
    await upload(path)
    await expect
      .poll(
        async () => {
          await admin('upload.php?mode=list')
          return columnOf('photo-1001')
        },
        { timeout: 150_000 },
      )
      .toMatch(/→ .*\(-\d+ %\), AVIF/)
    await look('library')
    const made = uploads().filter((name) => name.includes('photo-1001') && !name.startsWith('whittle'))
    // The file itself and the sizes of 300 and 150 px.
    const count = (extension: string) => made.filter((name) => name.endsWith(extension)).length
    expect([count('.jpg'), count('.avif'), [0, 3].includes(count('.webp'))]).toEqual([3, 3, true])
    const now = readFileSync(pathOf('photo-1001.jpg'))
    expect([now.length < source.length, (await sharp(now).metadata()).width]).toEqual([true, 480])
    const kept = uploads().find((name) => /^whittle-originals\/.*photo-1001\.jpg$/.test(name))!
    expect(readFileSync(join(wordpress.directory, 'wp-content/uploads', kept)).equals(source)).toBe(true)
  })

  it('is shown as AVIF, in a width that fits, and as JPEG by a browser without AVIF and WebP', async () => {
    const id = await wordpress.php(`$id = get_posts(['post_type' => 'attachment', 'name' => 'photo-1001'])[0]->ID;
      $image = wp_get_attachment_image($id, 'large'); $content = '<figure class="wp-block-image"><img class="wp-image-' . $id . '" src="' . wp_get_attachment_image_url($id, 'large') . '"></figure>';
      echo wp_insert_post(['post_title' => 'Photos', 'post_status' => 'publish', 'post_content' => $content]);`)
    await page.goto(`${wordpress.url}/?p=${id}`)
    const image = page.locator('.wp-block-image img')
    await expect.poll(() => image.evaluate((it: HTMLImageElement) => it.naturalWidth)).toBeGreaterThan(0)
    await look('post')
    const seen = await image.evaluate((it: HTMLImageElement) => ({
      url: it.currentSrc,
      around: it.parentElement!.tagName,
    }))
    expect(seen).toMatchObject({ url: expect.stringMatching(/photo-1001.*\.jpg\.avif$/), around: 'PICTURE' })
    const html = await (await fetch(`${wordpress.url}/?p=${id}`)).text()
    expect(html).toMatch(/<img [^>]*src="[^"]*photo-1001[^"]*\.jpg"/)
    const broken = [...html.matchAll(/(http[^\s",]+\.(?:avif|webp))/g)].map(async ([url]) => (await fetch(url)).status)
    expect(broken.length).toBeGreaterThan(1)
    expect(new Set(await Promise.all(broken))).toEqual(new Set([200]))
  })

  it('can be restored to the bytes that were uploaded, and leaves nothing behind', async () => {
    await admin('upload.php?mode=list')
    await page.locator('tr', { hasText: 'photo-1001' }).getByText('Restore the original').click()
    await page.waitForURL(/upload\.php/)
    expect(await page.locator('.notice-success').innerText()).toContain('The original is back.')
    expect(await columnOf('photo-1001')).toContain('Original')
    expect(readFileSync(pathOf('photo-1001.jpg')).equals(readFileSync(join(files, 'photo-1001.jpg')))).toBe(true)
    expect(uploads().filter((name) => /photo-1001.*\.(?:avif|webp)$/.test(name))).toEqual([])
    expect(uploads().filter((name) => /^whittle-originals.*photo-1001/.test(name))).toEqual([])
  })
})

describe('the service being down', () => {
  it('fails no upload, and is said with its reason', async () => {
    await service.stop()
    await upload(await photo(1002))
    expect(existsSync(pathOf('photo-1002.jpg'))).toBe(true)
    await expect
      .poll(
        async () => {
          await admin('index.php')
          return page
            .locator('.notice-warning')
            .innerText({ timeout: 5000 })
            .catch(() => '')
        },
        { timeout: 60_000 },
      )
      .toMatch(/Whittle: The service at .* cannot be reached .* 1 image waits./)
    await look('down')
    await admin('upload.php?page=whittle-bulk')
    await expect.poll(() => page.innerText('#whittle-problem')).toMatch(/The next try is in \d+ seconds/)
    await look('bulk-down')
  })

  it('is over once it is back: the upload is optimised', async () => {
    service = await startService()
    await wordpress.php('Whittle\\Worker::resume(); spawn_cron();')
    await expect
      .poll(() => page.innerText('#whittle-figures'), { timeout: 150_000 })
      .toMatch(/^1 of 2 images are optimised/)
    expect(existsSync(`${pathOf('photo-1002.jpg')}.avif`)).toBe(true)
  })
})

describe('the bulk page', () => {
  it('optimises a library of 50 images, and can be paused and resumed', async () => {
    const paths = await Promise.all(Array.from({ length: BULK }, (_, number) => photo(number)))
    await wordpress.php(`update_option('whittle_settings', ['uploads' => false] + get_option('whittle_settings'));
      foreach (${JSON.stringify(paths).replaceAll('[', 'array(').replaceAll(']', ')')} as $path) {
        copy($path, "$path.copy"); media_handle_sideload(['name' => basename($path), 'tmp_name' => "$path.copy"]); }`)
    await page.reload()
    expect(await page.innerText('#whittle-figures')).toMatch(/^1 of 52 images are optimised/)
    await page.click('#whittle-start')
    await expect.poll(() => page.innerText('#whittle-figures'), { timeout: 100_000 }).toMatch(/^[4-9] of 52/)
    await page.click('#whittle-pause')
    await expect.poll(() => page.isVisible('#whittle-resume')).toBe(true)
    expect([await page.isVisible('#whittle-start'), await page.isVisible('#whittle-pause')]).toEqual([false, false])
    // Requests under way may still arrive.
    await page.waitForTimeout(3000)
    const before = await page.innerText('#whittle-figures')
    await look('bulk-paused')
    await page.waitForTimeout(4000)
    expect([await page.innerText('#whittle-figures'), before.includes('Paused')]).toEqual([before, true])
    await page.click('#whittle-resume')
    await expect
      .poll(() => page.innerText('#whittle-figures'), { timeout: 300_000 })
      .toMatch(/^51 of 52 images are optimised, 1 are restored/)
    await look('bulk-done')
    expect(await page.innerText('#whittle-savings')).toMatch(/became .*: \d+ % less/)
    expect(uploads().filter((name) => /^whittle-originals.*photo-\d+\.jpg$/.test(name))).toHaveLength(BULK + 1)
  })

  it('goes on after another process took an image away, and lists what could not be optimised', async () => {
    writeFileSync(pathOf('photo-7.jpg'), readFileSync(pathOf('photo-7.jpg')).subarray(0, 200))
    rmSync(pathOf('photo-8.jpg'))
    await wordpress.php(`foreach (['photo-7', 'photo-8'] as $name) Whittle\\Queue::add(get_posts(['post_type' => 'attachment', 'name' => $name])[0]->ID);
      Whittle\\Worker::run(30);`)
    await page.reload()
    expect(await page.innerText('#whittle-figures')).toMatch(/^50 of 52 images are optimised, 1 have a problem/)
    expect(await page.innerText('#whittle-failures')).toMatch(/photo-7: The image is so damaged/)
    await look('bulk-failed')
  })
})

describe('the commands of WP-CLI', () => {
  /** WP-CLI is not among Debian's packages: this is what the commands use of it. */
  const cli = (call: string): Promise<string> =>
    wordpress.php(`class WP_CLI { static function log($t) { echo "$t\\n"; } static function warning($t) { echo "Warning: $t\\n"; }
      static function success($t) { echo "Success: $t\\n"; } static function error($t) { echo "Error: $t\\n"; exit; } }
      (new Whittle\\Cli())->${call};`)

  it('test, optimise, status and restore', async () => {
    expect(await cli('test()')).toBe('Success: The connection works.\n')
    const id = await wordpress.php(`echo get_posts(['post_type' => 'attachment', 'name' => 'photo-9'])[0]->ID;`)
    expect(await cli(`restore(['${id}'], [])`)).toBe('Success: 1 images are restored.\n')
    expect(readFileSync(pathOf('photo-9.jpg')).equals(readFileSync(join(files, 'photo-9.jpg')))).toBe(true)
    expect(await cli(`optimise(['${id}'], [])`)).toMatch(/0 images left\nSuccess: Done; 1 images had a problem/)
    expect(await cli('status()')).toMatch(/all +52\nwaiting +0\ndone +50\nfailed +1\nrestored +1\n/)
    expect(await cli('restore([], ["all" => true])')).toBe('Success: 51 images are restored.\n')
    expect(uploads().filter((name) => /\.(?:avif|webp)$/.test(name))).toEqual([])
  })
})

describe('an attachment', () => {
  it('takes its files with it when it is deleted', async () => {
    const id = await wordpress.php(
      `$id = get_posts(['post_type' => 'attachment', 'name' => 'photo-1002'])[0]->ID; Whittle\\Queue::add($id); Whittle\\Worker::run(60); echo $id;`,
    )
    expect(uploads().filter((name) => name.includes('photo-1002')).length).toBeGreaterThanOrEqual(9)
    await wordpress.php(`wp_delete_attachment(${id}, true);`)
    expect(uploads().filter((name) => name.includes('photo-1002'))).toEqual([])
  })
})
