import { describe, expect, it } from 'vitest'
import { countLayers } from './count-layers.ts'
import { parseTree } from './tree.ts'

const count = (inner: string): number =>
  countLayers(
    parseTree(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${inner}</svg>`).root,
  )

const named = (primitives: number): string =>
  `<filter id="f">${Array.from({ length: primitives }, (_, i) => `<feOffset dx="1" result="r${i}"/>`).join('')}</filter>`

describe('surfaces that a drawing holds at once', () => {
  it.each([
    ['<rect/>', 0],
    ['<rect fill-opacity=".5" stroke-opacity=".5"/>', 0],
    ['<rect opacity=".5"/><rect opacity=".5"/>', 1],
    ['<g opacity=".5"><g opacity=".4"><rect/></g></g>', 2],
    ['<rect opacity="1" style="opacity:1;mix-blend-mode:normal;isolation: auto;filter:none;mask:none"/>', 0],
    ['<g style="mix-blend-mode:multiply"><rect style="fill-opacity:.5;opacity:.5"/></g>', 2],
    [String.raw`<rect style="\6f pacity:.5"/>`, 1],
    [named(4), 0],
    [`${named(4)}<rect filter="url(#f)"/>`, 8],
    [`${named(4)}<rect style="filter:url('#f')"/>`, 8],
    [`${named(4)}<g filter="url(#f)"><rect filter="url(#f)"/></g>`, 9],
    [`${named(0)}<mask id="m"><rect filter="url(#f)"/></mask><rect mask="url(#m)"/>`, 8],
    ['<pattern id="p"><rect opacity=".5"/></pattern><rect fill="url(#p)"/>', 1],
    ['<defs><g id="a" opacity=".5"/></defs><g opacity=".5"><use href="#a"/></g>', 2],
    ['<g opacity=".5" display="none"/>', 0],
    [`<style>.a{opacity:.5} g .b , #c{filter:url(#f)}</style>${named(1)}<g class="x a"/>`, 1],
    [`<style>.a{opacity:.5} g .b , #c{filter:url(#f)}</style>${named(1)}<g class="x b"/>`, 5],
    [`<style>.a{opacity:.5} g .b , #c{filter:url(#f)}</style>${named(1)}<g id="c"/>`, 5],
    [`<style>@media screen{:not(.a){opacity:.5}}</style><g/>`, 2],
    ['<g id="a" opacity=".5"><use href="#a"/></g>', 1],
  ])('counts the layers of %s: %i', (inner, layers) => expect(count(inner)).toBe(layers))

  it('a chain of thousands of references counts as infinite', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => `<g id="l${i + 1}"><use href="#l${i}"/></g>`).join('')
    expect(count(`<defs><rect id="l0"/>${chain}</defs><use href="#l20000"/>`)).toBe(Number.POSITIVE_INFINITY)
  })
})
