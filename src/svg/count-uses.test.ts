import { describe, expect, it } from 'vitest'
import { countUses } from './count-uses.ts'
import { parseTree } from './tree.ts'

const count = (inner: string): number =>
  countUses(
    parseTree(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${inner}</svg>`).root,
  )

/** `levels` levels of ten uses each. */
const laughs = (levels: number): string =>
  Array.from(
    { length: levels },
    (_, level) => `<g id="l${level + 1}">${`<use href="#l${level}"/>`.repeat(10)}</g>`,
  ).join('')

describe('uses that drawing follows', () => {
  it.each([
    ['<rect id="a"/><use href="#a"/><use xlink:href="#a"/>', 2],
    ['<g id="a"><rect id="b"/><use href="#b"/></g><use href="#a"/>', 3],
    ['<defs><rect id="a"/><use href="#a"/></defs>', 0],
    ['<symbol id="s"><rect id="a"/><use href="#a"/></symbol><use href="#s"/>', 2],
    ['<use href="#missing"/><use href="other.svg#a"/>', 0],
    ['<rect id="a"/><g display="none"><use href="#a"/></g>', 0],
    ['<g id="a"><use href="#a"/></g>', 1],
  ])('counts the uses of %s: %i', (inner, uses) => expect(count(inner)).toBe(uses))

  it('a chain of thousands of uses counts as infinite', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => `<g id="l${i + 1}"><use href="#l${i}"/></g>`).join('')
    expect(count(`<defs><rect id="l0"/>${chain}</defs><use href="#l20000"/>`)).toBe(Number.POSITIVE_INFINITY)
    const short = Array.from({ length: 200 }, (_, i) => `<g id="l${i + 1}"><use href="#l${i}"/></g>`).join('')
    expect(count(`<defs><rect id="l0"/>${short}</defs><use href="#l200"/>`)).toBe(201)
  })

  it('nested uses are counted each time, without following them', () => {
    expect(count(`<defs><rect id="l0"/>${laughs(10)}</defs><use href="#l10"/>`)).toBe(11_111_111_111)
  })
})
