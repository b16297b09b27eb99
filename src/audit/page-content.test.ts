import { describe, expect, it } from 'vitest'
import { candidatesOf, readPage } from './page-content.ts'

const AT = 'https://shop.example/a/page.html'
const urls = (html: string): string[] => readPage(html, AT).images.map(({ url }) => url)

describe('readPage', () => {
  it('finds images in every element that can name one', () => {
    const html = `<img src=1.jpg><picture><source srcset="2.avif 1x, 3.avif 2x"><img src="/4.jpg"></picture>
      <video poster=5.jpg></video><svg><image href="6.png"/></svg><input type=image src=7.png>
      <link rel="shortcut icon" href=8.ico><meta property="og:image" content="https://cdn.example/9.jpg">
      <div style="background:url('10.png')"></div><style>h1{background-image:url(11.png)}</style>`
    expect(urls(html).map((url) => url.replace('https://shop.example', ''))).toEqual([
      '/a/1.jpg',
      '/a/2.avif',
      '/a/3.avif',
      '/4.jpg',
      '/a/5.jpg',
      '/a/6.png',
      '/a/7.png',
      '/a/8.ico',
      'https://cdn.example/9.jpg',
      '/a/10.png',
      '/a/11.png',
    ])
  })

  it('reads the shown size from attributes, and from a style that outranks them', () => {
    const [first, second] = readPage(
      '<img src=a width=300 height="200"><img src=b width=300 style="width:150px">',
      AT,
    ).images
    expect(first?.shown).toEqual({ width: 300, height: 200 })
    expect(second?.shown).toEqual({ width: 150 })
  })

  it('reports whether the space of an image is reserved and whether it loads lazily', () => {
    const html = '<img src=a width=3 height=2><img src=b loading=lazy><img src=c style="aspect-ratio: 3/2">'
    expect(readPage(html, AT).images.map(({ reservesSpace, lazy }) => [reservesSpace, lazy])).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ])
  })

  it('resolves addresses against a base element', () => {
    expect(urls('<base href="https://cdn.example/x/"><img src=a.png>')).toEqual(['https://cdn.example/x/a.png'])
  })

  it('leaves data addresses, scripts and other protocols out', () => {
    expect(
      urls('<img src="data:image/png;base64,AA"><img src="javascript:1"><img src=""><script>"<img src=x>"</script>'),
    ).toEqual([])
  })

  it('finds style sheets, imports and links once each', () => {
    const html =
      '<link rel=stylesheet href=s.css><style>@import "t.css";</style><a href="#x">x</a><a href="b#y">y</a><a href=b>z</a>'
    const { styleSheets, links } = readPage(html, AT)
    expect(styleSheets).toEqual(['https://shop.example/a/s.css', 'https://shop.example/a/t.css'])
    expect(links).toEqual([AT, 'https://shop.example/a/b'])
  })

  it('leaves out addresses that are too long for rules of robots.txt', () => {
    expect(urls(`<img src="/${'a'.repeat(5_000)}.png"><img src=1.png>`)).toEqual(['https://shop.example/a/1.png'])
  })

  // Each address read the attributes again, which took minutes.
  it('reads a style of megabytes once for all addresses of an element', () => {
    const addresses = Array.from({ length: 5_000 }, (_, i) => `${i}.png 1x`).join(', ')
    const page = readPage(`<img srcset="${addresses}" style="${'a:b;'.repeat(500_000)}width:7px">`, AT)
    expect(page.images).toHaveLength(5_000)
    expect(page.images[4_999]?.shown).toEqual({ width: 7 })
  })

  it('reads at most 5,000 images of one page', () => {
    expect(urls('<img src=a>'.repeat(6000))).toHaveLength(5000)
  })
})

describe('candidatesOf', () => {
  it('splits candidates at commas that end them, not at commas of an address', () => {
    expect(candidatesOf('a.jpg 1x, b,c.jpg 2x,d.jpg')).toEqual(['a.jpg', 'b,c.jpg', 'd.jpg'])
    expect(candidatesOf('/i/w=300,q=5/a.jpg 300w, /i/w=600,q=5/a.jpg 600w')).toEqual([
      '/i/w=300,q=5/a.jpg',
      '/i/w=600,q=5/a.jpg',
    ])
  })
  it('reads at most 5,000 addresses', () => {
    expect(candidatesOf('a 1x,'.repeat(30_000))).toHaveLength(5000)
  })
})
