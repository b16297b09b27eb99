import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { pictureOf } from '../../packages/client/src/build/picture.ts'
import { readCall, readOptions } from '../../packages/client/src/eleventy/arguments.ts'
import { htmlOf, pictureElement } from '../../packages/client/src/eleventy/element.ts'
import { findImage, isRemote } from '../../packages/client/src/eleventy/find-image.ts'
import { transformImages } from '../../packages/client/src/eleventy/transform.ts'
import type { HtmlNode, HtmlTree } from '../../packages/client/src/eleventy/types.ts'

describe('the arguments of a shortcode', () => {
  it.each([
    [['A'], { attributes: { alt: 'A' }, lists: {} }],
    [['A', '400, 800'], { lists: { widths: [400, 800] } }],
    [['A', [400, 'auto']], { lists: { widths: [400, 10_000] } }],
    [['A', 400, '50vw'], { lists: { widths: [400] }, sizes: '50vw' }],
    [
      [{ __keywords: true, alt: 'A', widths: [9], formats: 'webp jpg', densities: [1, 2] }],
      { lists: { widths: [9], formats: ['webp', 'jpeg'], densities: [1, 2] }, attributes: { alt: 'A' } },
    ],
    [
      ['', { width: '80', height: 60, crop: '0.5x0.5', trim: true, quality: 'high' }],
      {
        variant: { width: 80, height: 60, crop: { x: 0.5, y: 0.5 }, trim: true, quality: 'high' },
        attributes: { alt: '' },
      },
    ],
    [
      ['a "b" <c> & d', { class: 'x', hidden: true, title: false, loading: 'eager' }],
      { attributes: { alt: 'a &quot;b&quot; &lt;c&gt; &amp; d', class: 'x', hidden: '', loading: 'eager' } },
    ],
  ])('reads the call %j', (given, call) => {
    expect(readCall('a.png', given)).toMatchObject(call)
  })
  it.each([
    ['blur', 'blur'],
    ['lqip', 'blur'],
    ['dominant', 'color'],
    ['none', undefined],
    [undefined, undefined],
  ])('reads the placeholder %s as %s, and adds no attribute for it', (value, placeholder) => {
    expect(readCall('a.png', ['', { placeholder: value }])).toMatchObject({ placeholder, attributes: { alt: '' } })
  })
  it('refuses a placeholder that does not exist', () => {
    expect(() => readCall('a.png', ['', { placeholder: 'shine' }])).toThrow('expected blur or color')
  })
  it('copies names of JavaScript to the element as attributes, like all others', () => {
    const attributes = { constructor: 'x', toString: 'y', ['__proto__']: 'z' }
    expect(readOptions(attributes)).toEqual({ variant: {}, lists: {}, attributes })
  })
  it('requires an alt, and valid widths and crops', () => {
    expect(() => readCall('a.png', [])).toThrow('a.png has no alt')
    expect(() => readCall('a.png', [null, [9]])).toThrow('a.png has no alt')
    expect(() => readCall('a.png', ['', '9px'])).toThrow('"9px" is not a width')
    expect(() => readCall('a.png', ['', { crop: 'upwards' }])).toThrow('"upwards" is not a crop')
  })
  it('leaves text of a page that is already escaped unchanged', () => {
    expect(readOptions({ alt: 'a &amp; b', trim: '' })).toMatchObject({
      attributes: { alt: 'a &amp; b' },
      variant: { trim: true },
    })
  })
})

it('HTML has the sides of the largest image, and sizes only for widths', () => {
  const candidate = (url: string, width: number, format?: 'webp') =>
    ({
      url,
      variant: { width, ...(format === undefined ? {} : { format }) },
      result: {
        kind: 'optimised',
        contentType: format === undefined ? 'image/png' : 'image/webp',
        size: { format: 'png', width, height: 9, animated: false },
      },
    }) as const
  const many = pictureOf([candidate('a', 4, 'webp'), candidate('b', 4), candidate('c', 8)])!
  expect(htmlOf(pictureElement(many, '50vw', { alt: '', class: 'x' }))).toBe(
    '<picture><source type="image/webp" srcset="a"><img src="c" srcset="b 4w, c 8w" sizes="50vw" width="8" height="9" loading="lazy" decoding="async" alt="" class="x"></picture>',
  )
  const one = pictureOf([candidate('b', 4)])!
  expect(htmlOf(pictureElement(one, '50vw', { alt: 'B', loading: 'eager' }))).toBe(
    '<img src="b" width="4" height="9" loading="eager" decoding="async" alt="B">',
  )
})

/** The signature that every PNG begins with. */
const PNG = '\x89PNG\r\n\x1a\n'

describe('findImage', () => {
  const root = mkdtempSync(join(tmpdir(), 'whittle-eleventy-'))
  for (const [folder, text] of [
    ['', 'root'],
    ['src', 'input'],
    ['src/posts', 'template'],
  ] as const) {
    mkdirSync(join(root, folder, 'img'), { recursive: true })
    writeFileSync(join(root, folder, 'img', `${text}.png`), `${PNG}${text}`, 'latin1')
    writeFileSync(join(root, folder, 'img', 'both ways.png'), `${PNG}${text}`, 'latin1')
  }
  writeFileSync(join(root, 'img/100%.png'), `${PNG}percent`, 'latin1')
  afterAll(() => rmSync(root, { recursive: true }))
  const folders = { root, input: './src/', template: './src/posts/a.md' }
  it.each([
    ['img/root.png', 'root'],
    ['./img/template.png', 'template'],
    ['img/input.png', 'input'],
    ['/img/input.png', 'input'],
    ['/img/root.png?v=1', 'root'],
    ['img/both%20ways.png', 'root'],
    ['/img/both ways.png', 'input'],
    ['img/100%.png', 'percent'],
  ])('%s is an image of the folder %s', async (src, text) => {
    expect(Buffer.from((await findImage(src, folders)).bytes).toString('latin1')).toBe(`${PNG}${text}`)
  })
  it('refuses a file that is not an image', async () => {
    writeFileSync(join(root, 'img/secret.png'), 'KEY=1')
    await expect(findImage('img/secret.png', folders)).rejects.toThrow('is not an image')
  })
  it('lists the searched paths if there is no image', async () => {
    await expect(findImage('img/none.png', folders)).rejects.toThrow(
      `looked for ${root}/img/none.png, ${root}/src/posts/img/none.png, `,
    )
    expect(['https://e.com/a', '//e.com/a', '/a', 'a//b'].map(isRemote)).toEqual([true, true, false, false])
  })
})

it('a transform replaces images, apart from those of pictures, with a srcset, or marked', async () => {
  const img = (attrs: Record<string, string>): HtmlNode => ({ tag: 'img', attrs })
  const inPicture = img({ src: 'a.png' })
  const nodes = [
    img({ src: 'b.png', alt: 'B', width: '9', 'eleventy:widths': '40' }),
    img({ src: 'c.png', srcset: 'c 1x' }),
    img({ src: 'd.png', 'eleventy:ignore': '' }),
    img({ alt: 'no source' }),
  ]
  const picture: HtmlNode = { tag: 'picture', content: ['\n', { tag: 'span', content: [inPicture] }] }
  const tree: HtmlTree = {
    match: ({ tag }, visit) => (tag === 'picture' ? [picture] : [inPicture, ...nodes]).map(visit),
  }
  const replaced: unknown[] = []
  await transformImages(async (src, options) => {
    replaced.push([src, options])
    return { tag: 'img', attrs: { src: 'new' }, content: [] }
  })(tree)
  expect(replaced).toEqual([['b.png', { alt: 'B', widths: '40' }]])
  expect(nodes.map(({ attrs }) => attrs)).toEqual([
    { src: 'new' },
    { src: 'c.png', srcset: 'c 1x' },
    { src: 'd.png' },
    { alt: 'no source' },
  ])
  expect(inPicture.attrs).toEqual({ src: 'a.png' })
})
