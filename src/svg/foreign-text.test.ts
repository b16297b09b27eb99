import { describe, expect, it } from 'vitest'
import { sanitiseSvg } from './sanitise.ts'

const svg = (inside: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">${inside}</svg>`
const html = (inside: string, style = ''): string =>
  `<foreignObject x="10" y="20" width="80" height="40"><div xmlns="http://www.w3.org/1999/xhtml" style="${style}">${inside}</div></foreignObject>`
const textOf = (markup: string): string | undefined => /<text.*<\/text>/s.exec(sanitiseSvg(markup).markup)?.[0]

/** A box with a label as exported by diagrams.net 21. */
const DIAGRAMS_NET = `<switch><foreignObject pointer-events="none" width="100%" height="100%" requiredFeatures="http://www.w3.org/TR/SVG11/feature#Extensibility" style="overflow: visible; text-align: left;"><div xmlns="http://www.w3.org/1999/xhtml" style="display: flex; align-items: unsafe center; justify-content: unsafe center; width: 118px; height: 1px; padding-top: 30px; margin-left: 1px;"><div style="box-sizing: border-box; font-size: 0px; text-align: center;" data-drawio-colors="color: rgb(0, 0, 0); "><div style="display: inline-block; font-size: 12px; font-family: Helvetica; color: rgb(0, 0, 0); line-height: 1.2; pointer-events: all; white-space: normal; overflow-wrap: normal;">Load balancer</div></div></div></foreignObject><text x="60" y="34" font-size="12px">Load bal...</text></switch>`
/** A node as drawn by Mermaid 10. */
const MERMAID = `<g class="label" transform="translate(-34, -12)"><foreignObject width="68" height="24"><div xmlns="http://www.w3.org/1999/xhtml" style="display: inline-block; white-space: nowrap;"><span class="nodeLabel">Christmas</span></div></foreignObject></g>`

describe('text of foreignObject', () => {
  it('a label of diagrams.net is centred in its box', () => {
    expect(textOf(svg(DIAGRAMS_NET))).toBe(
      '<text fill="rgb(0, 0, 0)" font-family="Helvetica" font-size="12" text-anchor="middle" y="30.5"><tspan x="60" dy="0.35em">Load balancer</tspan></text><text x="60" y="34" font-size="12px">Load bal...</text>',
    )
  })

  it.each(['constructor', '__proto__', 'toString'])('the property name %s of every object has no effect', (name) => {
    expect(textOf(svg(html('one', `text-align:${name};vertical-align:${name}`)))).toContain('>one</tspan>')
    expect(() => sanitiseSvg(svg(html(`<${name}>one</${name}>`)))).not.toThrow()
    expect(() => sanitiseSvg(svg(`<rect xmlns:a="${name}" a:b="1" style="${name}:x"/>`))).not.toThrow()
  })

  it("a label of Mermaid inherits the drawing's style", () => {
    expect(textOf(svg(MERMAID))).toBe('<text y="12"><tspan x="0" dy="0.35em">Christmas</tspan></text>')
  })

  it.each([
    ['lines', html('one<br/>two', 'white-space:nowrap'), ['one', 'two']],
    ['paragraphs', html('<p>one</p><p>two</p>'), ['one', 'two']],
    ['white space', html('  one \n  two '), ['one two']],
    [
      'words that do not fit',
      html('a long label that has to be broken'),
      ['a long', 'label that', 'has to be', 'broken'],
    ],
  ])('keeps %s', (_, markup, lines) => {
    const found = [...(textOf(svg(markup)) ?? '').matchAll(/<tspan[^>]*>([^<]*)</g)].map(([, line]) => line)
    expect(found).toEqual(lines)
  })

  it.each([
    ['text-align: right', 'x="90"', 'text-anchor="end"'],
    ['text-align: center', 'x="50"', 'text-anchor="middle"'],
    ['color: #f00; font-size: 9pt', 'font-size="12"', 'fill="#f00"'],
    ['color: light-dark(rgb(1, 2, 3), #fff)', 'fill="rgb(1, 2, 3)"', 'x="10"'],
    ['color: url(http://x)', '<tspan x="10"', '<text y='],
    ['display: flex; align-items: flex-end; height: 40px', 'y="60"', 'dy="-0.25em"'],
  ])('converts the style %s', (style, ...expected) => {
    for (const part of expected) expect(textOf(svg(html('label', style)))).toContain(part)
  })

  it.each([
    ['an image', html('a <img src="http://x"/>')],
    ['a script', html('a <script>b</script>')],
    ['a drawing', html('<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>')],
    ['two styles', html('plain <b>bold</b>')],
    ['a field', html('<input value="a"/>')],
    ['nothing', html('')],
    [
      'text without a box',
      '<foreignObject width="10%" height="5"><p xmlns="http://www.w3.org/1999/xhtml">a</p></foreignObject>',
    ],
  ])('an object with %s is removed and reported', (_, markup) => {
    const { markup: left, removed, retyped } = sanitiseSvg(svg(markup))
    expect([left.includes('<text'), removed.includes('foreignObject'), retyped]).toEqual([false, true, false])
  })

  it("an editor's own object is removed without a Warning", () => {
    const object =
      '<foreignObject requiredExtensions="http://ns.adobe.com/AdobeIllustrator/10.0/" width="1" height="1"/>'
    expect(sanitiseSvg(svg(`<switch>${object}<g><rect/></g></switch>`))).toMatchObject({
      removed: ['foreign content'],
      retyped: false,
    })
  })

  it('converted text cannot contain markup or references', () => {
    const { markup } = sanitiseSvg(
      svg(html('&lt;script&gt;x&lt;/script&gt;', 'font-family: url(javascript:x); color: red" onload="x')),
    )
    expect(markup).not.toMatch(/<script|onload=|javascript:/)
    expect(markup).toContain('&lt;script')
  })
})
