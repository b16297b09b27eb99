import type { Attack } from '../attack.ts'
import { uploadAndWait } from '../send.ts'

const svg = (content: string): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000">${content}</svg>`)
const FULL = 'width="1000" height="1000"'
const filter = (primitives: string): string =>
  `<filter id="f" x="0" y="0" width="1" height="1">${primitives}</filter><rect ${FULL} filter="url(#f)"/>`

const chain = (name: string, links: number, inside: string, property: string): string =>
  Array.from(
    { length: links },
    (_, i) => `<${name} id="c${i}"${i === 0 ? '' : ` ${property}="url(#c${i - 1})"`}>${inside}</${name}>`,
  ).join('')

const uses = (levels: number, times: number, leaf: string): string =>
  `<defs><g id="l0">${leaf}</g>${Array.from(
    { length: levels },
    (_, i) => `<g id="l${i + 1}">${`<use href="#l${i}"/>`.repeat(times)}</g>`,
  ).join('')}</defs><use href="#l${levels}"/>`

const patterns = (levels: number): string =>
  `<pattern id="p0" width=".9" height=".9" patternUnits="userSpaceOnUse"><rect ${FULL}/></pattern>${Array.from(
    { length: levels },
    (_, i) =>
      `<pattern id="p${i + 1}" width="99" height="99" patternUnits="userSpaceOnUse">${`<rect width="99" height="99" fill="url(#p${i})"/>`.repeat(4)}</pattern>`,
  ).join('')}<rect ${FULL} fill="url(#p${levels})"/>`

const GRADIENT = '<radialGradient id="g"><stop stop-color="red" stop-opacity=".1"/><stop offset="1"/></radialGradient>'
const ZIGZAG = 'L1000 1000 0 1000 999 0'
const CURVE = 'C1000 1000 0 1000 900 0'

/** Small documents that librsvg takes long to draw, a way each. The first ones are the short form. */
const DOCUMENTS: readonly (readonly [name: string, content: string])[] = [
  ['one blend after the other', `<rect ${FULL} style="mix-blend-mode:luminosity" fill="red"/>`.repeat(50_000)],
  ['a turbulence 200 times', filter('<feTurbulence numOctaves="9" baseFrequency=".5"/>'.repeat(200))],
  ['a large morphology 60 times', filter('<feMorphology operator="dilate" radius="60"/>'.repeat(60))],
  ['full rectangles', `<rect ${FULL} fill-opacity=".01"/>`.repeat(100_000)],
  ['full rectangles by uses', uses(5, 12, `<rect ${FULL} fill-opacity=".01"/>`)],
  ['full gradients', GRADIENT + `<rect ${FULL} fill="url(#g)"/>`.repeat(20_000)],
  ['full groups with opacity', `<rect ${FULL} opacity=".5"/>`.repeat(40_000)],
  ['small groups with opacity', '<rect width="1" height="1" opacity=".5"/>'.repeat(60_000)],
  ['small groups with opacity by uses', uses(4, 16, '<rect opacity=".5" width="1" height="1"/>')],
  ['wide blurs', filter('<feGaussianBlur stdDeviation="300"/>'.repeat(400))],
  ['narrow blurs', filter('<feGaussianBlur stdDeviation="1.9"/>'.repeat(600))],
  ['convolutions', filter(`<feConvolveMatrix order="9" kernelMatrix="${'1 '.repeat(81)}"/>`.repeat(60))],
  ['lights', filter('<feDiffuseLighting><feDistantLight azimuth="3"/></feDiffuseLighting>'.repeat(600))],
  ['gamma', filter('<feComponentTransfer><feFuncR type="gamma" exponent="2"/></feComponentTransfer>'.repeat(900))],
  ['displacements', filter('<feDisplacementMap in2="SourceGraphic" scale="50"/>'.repeat(900))],
  ['tiles', filter('<feFlood x="0" y="0" width="1" height="1"/><feTile/>'.repeat(400))],
  [
    'a filter on each of 5,000 rectangles',
    `<filter id="f"><feGaussianBlur stdDeviation="5"/></filter>${'<rect width="9" height="9" filter="url(#f)"/>'.repeat(5_000)}`,
  ],
  [
    'a mask on each of 5,000 rectangles',
    `<mask id="m"><rect width="9" height="9"/></mask>${'<rect width="9" height="9" mask="url(#m)"/>'.repeat(5_000)}`,
  ],
  [
    'a chain of clips',
    chain('clipPath', 60, '<circle r="900"/>', 'clip-path') + `<rect ${FULL} clip-path="url(#c59)"/>`.repeat(2_000),
  ],
  [
    'a clip of 10,000 corners',
    `<clipPath id="c"><path d="M0 0${'l9 900 7 -900'.repeat(5_000)}z"/></clipPath>${`<rect ${FULL} clip-path="url(#c)"/>`.repeat(500)}`,
  ],
  ['a million dashes', '<path d="M0 0H1000000" stroke="red" stroke-dasharray=".0001"/>'],
  [
    'dashes along curves',
    `<path d="M0 0${CURVE.repeat(300)}" fill="none" stroke="red" stroke-linecap="round" stroke-width="30" stroke-dasharray=".1"/>`,
  ],
  ['a path that crosses itself', `<path d="M0 0${ZIGZAG.repeat(50_000)}"/>`],
  [
    'its round stroke',
    `<path d="M0 0${ZIGZAG.repeat(20_000)}" fill="none" stroke="red" stroke-width="20" stroke-linejoin="round"/>`,
  ],
  [
    'full markers',
    `<marker id="m" markerWidth="900" markerHeight="900"><rect ${FULL} fill-opacity=".01"/></marker><path marker-mid="url(#m)" d="M0 0${ZIGZAG.repeat(20_000)}"/>`,
  ],
  ['patterns of patterns', patterns(9)],
  [
    'a pattern of 500 circles 300 times',
    `<pattern id="p" width="900" height="900" patternUnits="userSpaceOnUse">${'<circle r="900" fill-opacity=".1"/>'.repeat(500)}</pattern>${`<rect ${FULL} fill="url(#p)"/>`.repeat(300)}`,
  ],
  ['large letters', `<text y="50" font-size="900">${'Wg@'.repeat(300)}</text>`.repeat(60)],
  ['20,000 lines of text', `<text y="50">${'Hamburg '.repeat(20)}</text>`.repeat(20_000)],
  [
    'selectors that miss',
    `<style>${Array.from({ length: 2_000 }, (_, i) => `g ~ g ~ rect.a${i}{fill:red}`).join('')}</style>${'<rect/>'.repeat(20_000)}`,
  ],
]

const SHORT = 3

/** Documents whose drawing takes minutes: each is answered before its time is over, by a budget of CPU. */
export const DRAWINGS: Attack = {
  name: 'drawings',
  settings: { MAX_TIMEOUT: '60', REDIRECT_AFTER: '25' },
  run: async (arena) => {
    const problems: string[] = []
    const counts = new Map<number, number>()
    const documents = arena.short ? DOCUMENTS.slice(0, SHORT) : DOCUMENTS
    for (const [name, content] of documents) {
      arena.trying(name)
      const status = await uploadAndWait(arena, '400,format=png,timeout=60', svg(content))
      counts.set(status, (counts.get(status) ?? 0) + 1)
      if (status !== 200 && status !== 422) problems.push(`${name}: ${status === 0 ? 'no answer' : status}`)
      arena.service.assertAlive()
    }
    const notes = [...counts].map(([status, count]) => `${count} × ${status}`)
    return { tries: documents.length, problems, notes: [notes.join(', ')] }
  },
}
