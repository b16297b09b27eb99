import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Case, FIXTURES, start } from '../http/start.ts'
import { makeSite, NOWHERE, type Ran, type Site } from './site.ts'

const VITE = 'vite/bin/vite.js'
const PAGE = '<!doctype html><body><script type="module" src="/main.js"></script></body>'

let service: Case
beforeAll(async () => {
  service = await start({ accounts: { demo: {} } })
})
afterAll(() => service[Symbol.asyncDispose]())

const siteAt = (base: string, photos: readonly string[] = ['photo.png']): Site => {
  const site = makeSite('vite.md', photos, { 'http://127.0.0.1:8080': base })
  site.write('index.html', PAGE)
  return site
}

const configWith = (site: Site, settings: string, more = ''): void => {
  const text = site.read('vite.config.js').toString()
  site.write(
    'vite.config.js',
    text.replace("account: 'demo'", `account: 'demo', ${settings}`).replace('plugins:', `${more} plugins:`),
  )
}

const build = (site: Site, ...args: string[]): Promise<Ran> => site.run(VITE, ['build', ...args])

/** The page that a build's script writes. */
const pageOf = (site: Site, location = 'http://site.test/'): string => {
  const script = site.files('dist').find((name) => name.endsWith('.js'))!
  const code = site
    .read(`dist/${script}`)
    .toString()
    .replaceAll('import.meta.url', JSON.stringify(`${location}assets/x.js`))
  const document = { createElement: () => ({ relList: { supports: () => true } }), body: { innerHTML: '' } }
  runInNewContext(code, { document, URL })
  return document.body.innerHTML
}

const sizeAt = async (site: Site, url: string): Promise<{ format: string; width: number; height: number }> => {
  const { format, width, height } = await sharp(
    site.read(join('dist', decodeURI(new URL(url, 'http://site.test/').pathname))),
  ).metadata()
  return { format, width, height }
}

describe('a build', () => {
  it('writes the page of the guide, and sends no requests in a second build', async () => {
    await using own = await start({ accounts: { demo: {} } })
    using site = siteAt(own.url)
    const first = await build(site)
    expect(first).toMatchObject({
      code: 0,
      output: expect.stringContaining('whittle: 7 images requested, 0 from the cache'),
    })

    const page = pageOf(site)
    const [banner = ''] = /(?<=<img src=")[^"]+/.exec(page) ?? []
    expect(await sizeAt(site, banner)).toEqual({ format: 'jpeg', width: 160, height: 60 })
    const candidates = [...page.matchAll(/(\/assets\/\S+) (\d+)w/g)]
    expect(candidates).toHaveLength(8)
    for (const [, url = '', width] of candidates) expect((await sizeAt(site, url)).width).toBe(Number(width))
    for (const type of ['avif', 'webp'])
      expect(page).toMatch(new RegExp(`<source type="image/${type}" srcset="/assets/photo-[\\w-]+\\.${type} 80w, `))
    expect(page).toMatch(/src="\/assets\/photo-[\w-]+\.jpg" srcset="[^"]+" width="160" height="133"/)

    const made = site.files('dist')
    await own.stop()
    const second = await build(site)
    expect(second).toMatchObject({ code: 0, output: expect.stringContaining('0 images requested, 7 from the cache') })
    expect(site.files('dist')).toEqual(made)
  })

  it('accepts folders, names with spaces and commas, several densities, and a relative base', async () => {
    using site = siteAt(service.url, ['my photos/a, b.png', 'my photos/c.png'])
    site.write(
      'main.js',
      `const all = import.meta.glob('./my photos/*.png', { query: '?whittle&w=40', import: 'default', eager: true })
       import dense from './my photos/a, b.png?whittle&w=60&density=1;2&as=srcset'
       import output from './my photos/c.png?whittle&w=30;60&format=webp&as=meta'
       document.body.innerHTML = JSON.stringify({ all, dense, output })`,
    )
    expect(await build(site, '--base', './')).toMatchObject({ code: 0 })
    const { all, dense, output } = JSON.parse(pageOf(site))
    expect(Object.keys(all)).toEqual(['./my photos/a, b.png', './my photos/c.png'])
    for (const url of Object.values(all) as string[]) expect(await sizeAt(site, url)).toMatchObject({ width: 40 })
    const [, once = '', twice = ''] = /^(\S+) 1x, (\S+) 2x$/.exec(dense) ?? []
    expect([(await sizeAt(site, once)).width, (await sizeAt(site, twice)).width]).toEqual([60, 120])
    expect(output).toMatchObject([
      { type: 'image/webp', width: 30, height: 25 },
      { type: 'image/webp', width: 60, height: 50 },
    ])
  })

  it('makes other images smaller in place with inPlace', async () => {
    using site = siteAt(service.url, ['photo.png', 'page.png'])
    copyFileSync(join(FIXTURES, 'jpeg/kodim05-190x158.png'), join(site.path, 'plain.png'))
    copyFileSync(join(FIXTURES, 'motion/sharp__rotating-squares.gif'), join(site.path, 'moving.gif'))
    site.write('index.html', `${PAGE}<img src="./page.png"><link rel="stylesheet" href="./style.css">`)
    site.write('style.css', 'body { background: url("./plain.png") }')
    site.write('main.js', `import moving from './moving.gif'\ndocument.body.innerHTML = moving`)
    configWith(site, 'inPlace: true', 'build: { assetsInlineLimit: 0 },')
    expect(await build(site)).toMatchObject({ code: 0 })
    const find = (name: RegExp): string => site.files('dist').find((file) => name.test(file))!
    const png = await sharp(site.read(`dist/${find(/plain.*\.png$/)}`)).metadata()
    expect(png).toMatchObject({ format: 'png', width: 190, height: 158 })
    for (const name of ['plain', 'page']) {
      const after = site.read(`dist/${find(new RegExp(`${name}.*\\.png$`))}`)
      expect(after.length).toBeLessThan(site.read(`${name}.png`).length / 2)
    }
    const [before, after] = [site.read('moving.gif'), site.read(`dist/${find(/moving.*\.gif$/)}`)]
    expect(after.length).toBeLessThan(before.length)
    expect((await sharp(after).metadata()).pages).toBe((await sharp(before).metadata()).pages)
  })
})

describe('what goes wrong', () => {
  it('fails the build when the service cannot be reached, with the remedy', async () => {
    using site = siteAt(NOWHERE)
    configWith(site, 'retries: 0')
    const { code, output } = await build(site)
    expect(code).toBe(1)
    expect(output).toContain(
      `photo.png was not optimised: the Whittle service at ${NOWHERE} cannot be reached (ECONNREFUSED)`,
    )
  })

  it('uses originals with onError, and requests the images again in the next build', async () => {
    using site = siteAt(NOWHERE)
    configWith(site, "onError: 'original', retries: 0")
    expect(await build(site)).toMatchObject({ code: 0, output: expect.stringContaining('cannot be reached') })
    const [photo = '', ...others] = site.files('dist/assets').filter((name) => !name.endsWith('.js'))
    expect([photo, others]).toEqual([expect.stringMatching(/^photo-[\w-]+\.png$/), []])
    expect(site.read(`dist/assets/${photo}`).equals(site.read('photo.png'))).toBe(true)
    expect(pageOf(site)).not.toContain('<source')
    site.write('vite.config.js', site.read('vite.config.js').toString().replace(NOWHERE, service.url))
    expect(await build(site)).toMatchObject({ code: 0, output: expect.stringContaining('7 images requested') })
  })

  it.each([
    ['?whittle&w=wide', '"w=wide" is wrong: expected whole CSS pixels'],
    ['?whittle&widht=4', '"widht" is not a directive: expected w, h, density'],
  ])('fails on %s', async (query, sentence) => {
    using site = siteAt(service.url)
    site.write('main.js', `import a from './photo.png${query}'\nconsole.log(a)`)
    expect(await build(site)).toMatchObject({ code: 1, output: expect.stringContaining(sentence) })
  })

  it('fails on a wrong account, even with onError', async () => {
    using site = siteAt(service.url)
    configWith(site, "onError: 'original'")
    site.write('vite.config.js', site.read('vite.config.js').toString().replace("'demo'", "'nobody'"))
    expect(await build(site)).toMatchObject({ code: 1, output: expect.stringContaining('answered 403') })
  })
})

describe('the development server', () => {
  const developed = async (site: Site, settings: string) => {
    configWith(site, settings)
    const server = await site.serve(VITE, ['--port', '0'], /http:\/\/localhost:\d+\//)
    const [address] = server.found
    return {
      get: (path: string) => fetch(new URL(path, address)),
      /** The module that an import of a page resolves to, as a browser would load it. */
      load: async (query: string) => {
        site.write('main.js', `import a from './photo.png${query}'\nconsole.log(a)`)
        const main = await (await fetch(new URL('/main.js', address))).text()
        const [, path = ''] = /from "([^"]+)"/.exec(main) ?? []
        const answer = await fetch(new URL(path, address))
        expect(answer.headers.get('content-type')).toBe('text/javascript')
        return answer.text()
      },
      text: async (path: string) => (await fetch(new URL(path, address))).text(),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  }

  it('shows originals in the size of the results, without a request to the service', async () => {
    using site = siteAt(NOWHERE)
    await using server = await developed(site, "onError: 'fail'")
    const code = await server.load('?whittle&w=80;160&as=picture')
    expect(code).toContain('\\"w\\":160,\\"h\\":133')
    const [, original = ''] = /import original from "([^"]+)"/.exec(code) ?? []
    expect(await server.text(original)).toContain('export default "/photo.png"')
  })

  it('optimises an image on request with dev', async () => {
    using site = siteAt(service.url)
    await using server = await developed(site, "dev: 'optimise'")
    const code = await server.load('?whittle&w=80&format=webp')
    const [, url = ''] = /export default "([^"]+)"/.exec(code) ?? []
    const answer = await server.get(url)
    expect(answer.headers.get('content-type')).toBe('image/webp')
    expect(await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).toMatchObject({ format: 'webp', width: 80 })
    expect((await server.get('/@whittle/0123456789abcdef/a.webp')).headers.get('content-type')).not.toBe('image/webp')
  })

  it.each([
    ['optimise', '?whittle&import'],
    ['original', '?whittle&import'],
    ['optimise', '?import&whittle&as=picture'],
  ])('gives no file outside of server.fs.allow, and none that is no image, with dev: %s and %s', async (dev, query) => {
    using site = siteAt(service.url)
    site.write('secret.txt', 'the key of this project')
    site.write('secret.png', 'the key of this project')
    await using server = await developed(site, `dev: '${dev}', onError: 'original'`)
    for (const path of ['/@fs/etc/passwd', `/@fs${site.path}/secret.txt`, '/secret.png', '/../secret.txt']) {
      const answer = await server.get(`${path}${query}`)
      const text = await answer.text()
      expect([path, answer.ok && /export default/.test(text)]).toEqual([path, false])
      const [, image] = /(\/@whittle\/[0-9a-f]{16}\/[^"\\]*)/.exec(text) ?? []
      expect(image).toBeUndefined()
      expect(text).not.toMatch(/root:|the key of/)
    }
  })
})
