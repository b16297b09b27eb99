import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openChromium } from '../browser/chromium.ts'
import { type Case, FIXTURES, start } from '../http/start.ts'
import { startWordPress, type WordPress } from './servers.ts'

let wordpress: WordPress
let service: Case
let browser: Browser
let page: Page
beforeAll(async () => {
  ;[wordpress, service, browser] = await Promise.all([
    startWordPress({ network: true }),
    start({ accounts: { network: {} } }),
    openChromium(),
  ])
  const { host } = new URL(wordpress.url)
  // WordPress takes the colon out of a new site's host.
  await wordpress.php(`activate_plugin('whittle/whittle.php', '', true); wpmu_create_blog('${host}', '/second/', 'Second', 1);
    global $wpdb; $wpdb->update($wpdb->blogs, ['domain' => '${host}'], ['blog_id' => 2]); clean_blog_cache(2);
    foreach (['siteurl', 'home'] as $name) update_blog_option(2, $name, '${wordpress.url}/second');
    wpmu_create_user('editor', 'secret', 'e@example.com'); add_user_to_blog(2, get_user_by('login', 'editor')->ID, 'administrator');`)
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
})
afterAll(async () => {
  await browser?.close()
  await Promise.all([wordpress?.[Symbol.asyncDispose](), service?.[Symbol.asyncDispose]()])
})

const logIn = async (user: string, site: string): Promise<void> => {
  await page.context().clearCookies()
  const admin = `${wordpress.url}${site}/wp-admin/`
  await page.goto(`${wordpress.url}${site}/wp-login.php?redirect_to=${encodeURIComponent(admin)}`)
  await page.fill('#user_login', user)
  await page.fill('#user_pass', 'secret')
  await page.click('#wp-submit')
  await page.waitForURL(/wp-admin/)
}

it('the administrator of a network sets the address and the account of all sites', async () => {
  await logIn('admin', '')
  await page.goto(`${wordpress.url}/wp-admin/network/settings.php?page=whittle`)
  await page.fill('#whittle-url', service.url)
  await page.fill('#whittle-account', 'network')
  await page.click('#whittle-test')
  expect(await page.locator('#whittle-test-result .notice-success').innerText()).toBe('The connection works.')
  await page.click('#submit')
  await page.waitForURL(/updated=true/)
  expect(await page.inputValue('#whittle-url')).toBe(service.url)
})

it('the administrator of a site cannot send requests to another address', async () => {
  await logIn('editor', '/second')
  await page.goto(`${wordpress.url}/second/wp-admin/options-general.php?page=whittle`)
  expect(await page.getAttribute('#whittle-url', 'readonly')).toBe('')
  const tested = await page.evaluate(() => {
    const { apiFetch } = (window as unknown as { wp: { apiFetch: (request: object) => Promise<unknown> } }).wp
    return apiFetch({
      path: '/whittle/v1/test',
      method: 'POST',
      data: { url: 'http://127.0.0.1:1', account: 'network', quality: 'medium' },
    })
  })
  expect(tested).toEqual({ ok: true, message: 'The connection works.' })
})

it('an upload of a site is optimised and kept in the folder of that site', async () => {
  const photo = `${FIXTURES}/jpeg/kodim23-190x158.png`
  const told = await wordpress.php(`switch_to_blog(2); copy('${photo}', '/tmp/whittle-network.png');
    $id = media_handle_sideload(['name' => 'photo.png', 'tmp_name' => '/tmp/whittle-network.png']);
    if (is_wp_error($id)) { echo $id->get_error_message(); exit; }
    Whittle\\Worker::run(60); echo Whittle\\Record::state($id), ' ', Whittle\\Files::original(get_attached_file($id));`)
  expect(told).toMatch(/^done .*\/uploads\/sites\/2\/whittle-originals\/\d+\/\d+\/photo\.png$/)
})
