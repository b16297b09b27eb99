import { describe, expect, it } from 'vitest'
import { Failure } from '../core/failure.ts'
import { findDangers } from './find-dangers.ts'
import { SVG_LIMITS } from './limits.ts'
import { sanitiseSvg } from './sanitise.ts'

const NS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
const svg = (inside: string, attributes = ''): string => `<svg ${NS} ${attributes}>${inside}</svg>`

/** Known attacks with the patterns that must not remain. */
const ATTACKS: readonly (readonly [name: string, markup: string, never: RegExp])[] = [
  ['a script', svg('<script>alert(1)</script>'), /script|alert/],
  [
    'a script under another prefix',
    svg('<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>'),
    /script|alert/,
  ],
  ['an XHTML script', svg('<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>'), /script|alert/],
  ['an event handler', svg('<rect onclick="alert(1)"/>'), /alert|onclick/],
  ['a handler in capitals on the root', svg('', 'ONLOAD="alert(1)"'), /alert/i],
  [
    'foreign content',
    svg('<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="//x"/></foreignObject>'),
    /iframe|foreign/,
  ],
  ['an external image', svg('<image href="http://evil/x.png"/>'), /evil/],
  ['an image from a file', svg('<image xlink:href="file:///etc/passwd"/>'), /passwd/],
  ['a relative image', svg('<image xlink:href="secret.png"/>'), /secret/],
  ['an external use', svg('<use href="other.svg#a"/>'), /other/],
  ['a javascript link', svg('<a href="javascript:alert(1)"><rect/></a>'), /alert/],
  ['a javascript link with a tab in it', svg('<a xlink:href="java&#9;script:alert(1)"><rect/></a>'), /alert/],
  ['a link out', svg('<a href="https://evil/"><text>x</text></a>'), /evil/],
  ['an external paint', svg('<rect fill="url(http://evil/p.svg#a)"/>'), /evil/],
  ['a quoted external paint', svg(`<rect fill="url('http://evil/p.svg#a')"/>`), /evil/],
  ['an escaped external paint', svg('<rect fill="u\\72l(http://evil/)"/>'), /evil/],
  ['an external style declaration', svg('<rect style="background:url(//evil/)"/>'), /evil/],
  ['an escaped style declaration', svg('<rect style="background:\\75\\72\\6c(//evil/)"/>'), /evil/],
  ['a custom property that loads', svg('<rect style="--a:url(//evil/);fill:var(--a)"/>'), /evil/],
  ['an image set', svg('<style>rect{mask:image-set("//evil/" 1x)}</style>'), /evil/],
  ['an import', svg('<style>@import "//evil/";rect{fill:red}</style>'), /evil|import/],
  ['an escaped import', svg('<style>@\\69mport "//evil/";rect{fill:red}</style>'), /evil/],
  ['a font from outside', svg('<style>@font-face{font-family:x;src:url(//evil/f.woff)}</style>'), /evil/],
  ['a style sheet in CDATA', svg('<style><![CDATA[rect{fill:url(//evil/)}]]></style>'), /evil/],
  ['a style sheet PI', `<?xml-stylesheet href="//evil/"?>${svg('')}`, /evil/],
  [
    'an external entity',
    `<!DOCTYPE svg [<!ENTITY e SYSTEM "file:///etc/passwd">]>${svg('<text>&e;</text>')}`,
    /passwd|DOCTYPE|ENTITY/,
  ],
  [
    'a script out of an entity',
    `<!DOCTYPE svg [<!ENTITY e "<script>alert(1)</script>">]>${svg('&e;')}`,
    /alert|script/,
  ],
  ['an external DTD', `<!DOCTYPE svg SYSTEM "http://evil/x.dtd">${svg('')}`, /evil/],
  ['an animated link', svg('<a><animate attributeName="href" to="javascript:alert(1)"/></a>'), /alert/],
  ['a set handler', svg('<rect><set attributeName="onclick" to="alert(1)"/></rect>'), /alert/],
  [
    'an animated paint that loads',
    svg('<rect><animate attributeName="fill" values="red;url(http://evil/)"/></rect>'),
    /evil/,
  ],
  ['an XML base', svg('<use href="#a"/>', 'xml:base="http://evil/"'), /evil/],
  [
    'a script in a nested data SVG',
    svg(
      `<image href="data:image/svg+xml;base64,${Buffer.from(svg('<script>alert(1)</script>')).toString('base64')}"/>`,
    ),
    /PHNjcmlwd|alert/,
  ],
  ['HTML as a data image', svg('<image href="data:text/html,&lt;script>alert(1)&lt;/script>"/>'), /alert/],
  ['an inclusion', svg('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>'), /passwd/],
  ['a handler element', svg('<handler type="application/ecmascript">alert(1)</handler>'), /alert/],
]

describe('sanitising an SVG', () => {
  it.each(ATTACKS)('removes %s', (_, markup, never) => {
    const { markup: clean, removed } = sanitiseSvg(markup)
    expect(clean).not.toMatch(never)
    expect(findDangers(clean)).toEqual([])
    expect(removed).not.toEqual([])
  })

  it.each(ATTACKS)('the final check finds %s', (_, markup) => {
    expect(findDangers(markup)).not.toEqual([])
  })

  it.each([
    [
      'local references',
      svg('<defs><path id="p"/></defs><use xlink:href="#p"/><rect fill="url(#p)"/>'),
      ['href="#p"', 'url(#p)'],
    ],
    ['raster data', svg('<image href="data:image/png;base64,iVBORw0KGgo="/>'), ['data:image/png;base64,iVBORw0KGgo=']],
    [
      'styles',
      svg('<style>.a>b{fill:red}@media print{.a{fill:#000}}</style><rect style="fill:blue"/>'),
      ['.a>b{fill:red}', 'fill:blue'],
    ],
    [
      'harmless animation',
      svg('<rect><animate attributeName="x" from="0" to="5" dur="1s"/></rect>'),
      ['attributeName="x"'],
    ],
    [
      'text from entities',
      `<!DOCTYPE svg [<!ENTITY e "good">]>${svg('<text>&e; &amp; &#65;</text>')}`,
      ['good &amp; A'],
    ],
  ])('keeps %s', (_, markup, kept) => {
    const { markup: clean } = sanitiseSvg(markup)
    for (const part of kept) expect(clean).toContain(part)
  })

  it('reads SVG under a prefix and writes it without one', () => {
    const { markup } = sanitiseSvg('<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:rect width="1"/></s:svg>')
    expect(markup).toBe('<svg xmlns="http://www.w3.org/2000/svg"><rect width="1"/></svg>')
  })

  it.each([
    [
      'entities that multiply',
      `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(1000)}">${'bcdefgh'
        .split('')
        .map((n, i) => `<!ENTITY ${n} "${`&${'abcdefg'[i]};`.repeat(20)}">`)
        .join('')}]>${svg('<text>&h;</text>')}`,
    ],
    ['nesting', svg(`${'<g>'.repeat(SVG_LIMITS.depth + 1)}${'</g>'.repeat(SVG_LIMITS.depth + 1)}`)],
    ['elements', svg('<g/>'.repeat(SVG_LIMITS.elements + 1))],
  ])('refuses too much of %s with 422', (_, markup) => {
    expect(() => sanitiseSvg(markup)).toThrow(expect.objectContaining({ code: 'SVG_TOO_COMPLEX' }) as Failure)
  })

  it('closes a truncated SVG, and refuses other markup', () => {
    expect(sanitiseSvg(`<svg ${NS}><g><rect width="2"/>`).markup).toContain('<g><rect width="2"/></g></svg>')
    expect(() => sanitiseSvg('<html></html>')).toThrow(Failure)
  })
})
