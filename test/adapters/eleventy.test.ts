import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Case, FIXTURES, start } from '../http/start.ts'
import { makeSite, NOWHERE, type Ran, type Site } from './site.ts'

let service: Case
beforeAll(async () => {
  service = await start({ accounts: { demo: {} } })
})
afterAll(() => service[Symbol.asyncDispose]())

const siteAt = (base: string): Site =>
  makeSite('eleventy.md', ['photos/parrots.png'], { 'http://127.0.0.1:8080': base })

const build = (site: Site): Promise<Ran> => site.run('@11ty/eleventy/cmd.cjs', [])

const configWith = (site: Site, settings: string): void => {
  const text = site.read('eleventy.config.js').toString()
  site.write('eleventy.config.js', text.replace("account: 'demo',", `account: 'demo', ${settings}`))
}

const pageAt = (site: Site, name: string): string => site.read(`_site/${name}`).toString()

const metadataAt = (site: Site, url: string) => sharp(site.read(join('_site', decodeURIComponent(url)))).metadata()

/** Every candidate of every `srcset` in a page, as `[address, descriptor]`. */
const candidatesIn = (page: string): readonly (readonly [string, string])[] =>
  [...page.matchAll(/srcset="([^"]*)"/g)].flatMap(([, srcset = '']) =>
    srcset.split(', ').map((each) => each.split(' ') as [string, string]),
  )

describe('a build', () => {
  it('writes the page of the guide, and sends no requests in a second build', async () => {
    await using own = await start({ accounts: { demo: {} } })
    using site = siteAt(own.url)
    expect(await build(site)).toMatchObject({
      code: 0,
      output: expect.stringContaining('images requested, 0 from the cache'),
    })

    const page = pageAt(site, 'index.html')
    const image = (widths: string, alt: string, side: string) =>
      new RegExp(
        `<p><picture>(<source type="image/(avif|webp)" srcset="[^"]+\\.\\2 ${widths.replace(' ', 'w, [^"]+\\.\\2 ')}w" sizes="\\(min-width: 40em\\) 50vw, 100vw">){2}<img src="/img/parrots-\\w+\\.jpg" srcset="[^"]+" sizes="[^"]+" ${side} loading="lazy" decoding="async" alt="${alt}"></picture></p>`,
      )
    expect(page).toMatch(image('80 160', 'Two parrots', 'width="160" height="133"'))
    expect(page).toMatch(image('40 60', 'Two parrots, small', 'width="60" height="50"'))
    expect(candidatesIn(page)).toHaveLength(12)
    for (const [url, width] of candidatesIn(page)) expect(`${(await metadataAt(site, url)).width}w`).toBe(width)

    const named = pageAt(site, 'named/index.html')
    expect(named).toMatch(/width="120" height="50" loading="eager" decoding="async" class="hero" alt="A banner"/)
    const sizes = await Promise.all(candidatesIn(named).map(([url]) => metadataAt(site, url)))
    expect(new Set(sizes.map(({ width, height }) => `${width}x${height}`))).toEqual(new Set(['80x33', '120x50']))

    const made = site.files('_site')
    await own.stop()
    const second = await build(site)
    expect(second.code).toBe(0)
    expect(second.output).not.toContain('[whittle]')
    expect([site.files('_site'), pageAt(site, 'index.html')]).toEqual([made, page])
  })

  it('accepts images with an address, animations and SVG', async () => {
    using site = siteAt(service.url)
    copyFileSync(join(FIXTURES, 'motion/sharp__rotating-squares.gif'), join(site.path, 'photos/squares.gif'))
    writeFileSync(
      join(site.path, 'photos/mark.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 12"><!-- a --><path d="M0 0h24v12z"/></svg>',
    )
    site.write('index.md', '')
    site.write(
      'page.njk',
      `{% image "${service.file('jpeg/kodim05-190x158.png')}", "", [60] %}{% image "/photos/squares.gif", "", ["auto"] %}{% image "photos/mark.svg", "\\"Mark\\" & Co" %}`,
    )
    expect(await build(site)).toMatchObject({ code: 0 })
    const page = pageAt(site, 'page/index.html')
    expect(page).toMatch(/<img src="\/img\/kodim05-190x158-\w+\.png" width="60" height="50" [^>]*alt="">/)
    expect(page).toMatch(/<img src="\/img\/mark-\w+\.svg" width="24" height="12" [^>]*alt="&quot;Mark&quot; &amp; Co">/)
    for (const format of ['gif', 'webp']) {
      const [url = ''] = new RegExp(`/img/squares-\\w+\\.${format}`).exec(page) ?? []
      const { format: made, pages = 1 } = await metadataAt(site, url)
      expect([made, pages > 1]).toEqual([format, true])
    }
  })

  it('replaces the images of whole pages with transform', async () => {
    using site = siteAt(service.url)
    configWith(site, "transform: true, formats: ['webp', 'auto'],")
    const shown = '<img src="photos/parrots.png" alt="Marked &amp; kept" class="a" eleventy:widths="40">'
    const kept =
      '<img src="photos/parrots.png" alt="" eleventy:ignore><img src="gone.png" alt=""><img src="https://e.com/a.png" alt="">'
    site.write(
      'index.md',
      `![Two parrots](photos/parrots.png)\n\n${shown}\n\n${kept}\n\n{% image "photos/parrots.png", "Once" %}`,
    )
    expect(await build(site)).toMatchObject({ code: 0 })
    const page = pageAt(site, 'index.html')
    expect(page).toMatch(
      /<picture><source type="image\/webp" [^>]*><img src="\/img\/parrots-\w+\.jpg" [^>]*alt="Two parrots"><\/picture>/,
    )
    expect(page).toMatch(
      /<img src="\/img\/parrots-\w+\.jpg" width="40" height="33" [^>]*alt="Marked &amp; kept" class="a">/,
    )
    expect(page).toContain(
      '<img src="photos/parrots.png" alt=""><img src="gone.png" alt=""><img src="https://e.com/a.png" alt="">',
    )
    expect(page.match(/<picture>/g)).toHaveLength(3)
  })
})

describe('what goes wrong', () => {
  it.each([
    ['{% image "photos/parrots.png" %}', 'has no alt: describe the image'],
    ['{% image "photos/gone.png", "" %}', 'There is no image photos/gone.png: looked for '],
    ['{% image "photos/parrots.png", "", "wide" %}', '"wide" is not a width'],
  ])('%s fails the build', async (template, sentence) => {
    using site = siteAt(NOWHERE)
    site.write('named.njk', '')
    site.write('index.md', template)
    const { code, output } = await build(site)
    expect([code, output.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(sentence)])
  })

  it('uses originals with onError while the service is unreachable', async () => {
    using site = siteAt(NOWHERE)
    site.write('named.njk', '')
    site.write('index.md', '{% image "https://e.com/a.png", "Far" %}\n\n{% image "photos/parrots.png", "Near" %}')
    expect((await build(site)).output).toMatch(
      /was not optimised: the Whittle service at \S+ cannot be reached \(ECONNREFUSED\)/,
    )
    configWith(site, "onError: 'original', retries: 0,")
    expect(await build(site)).toMatchObject({ code: 0 })
    const page = pageAt(site, 'index.html')
    expect(page).toContain('<img src="https://e.com/a.png" loading="lazy" decoding="async" alt="Far">')
    const [, file = ''] = /<img src="\/(img\/parrots-\w+\.png)" width="190" height="158"/.exec(page) ?? []
    expect(site.read(`_site/${file}`).equals(site.read('photos/parrots.png'))).toBe(true)
  })
})
