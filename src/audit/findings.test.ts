import { describe, expect, it } from 'vitest'
import { type AuditedImage, findingsOf, inOrder, largestOf, optionsFor, totalsOf } from './findings.ts'
import type { ImageUse } from './page-content.ts'

const use = (more: Partial<ImageUse> = {}): ImageUse => ({
  url: 'https://a.example/i.jpg',
  role: 'img',
  shown: {},
  reservesSpace: true,
  lazy: false,
  ...more,
})

const image = (bytes: number, after: number, uses: readonly ImageUse[] = [use()], width = 800): AuditedImage => ({
  url: 'https://a.example/i.jpg',
  pages: ['https://a.example/'],
  uses,
  measured: {
    kind: 'measured',
    format: 'jpeg',
    bytes,
    width,
    height: width / 2,
    result: { options: 'full', format: 'jpeg', contentType: 'image/jpeg', bytes: after, width, height: width / 2 },
  },
})

const failed: AuditedImage = { url: 'x', pages: [], uses: [use()], measured: { kind: 'failed', reason: 'not found' } }

describe('optionsFor', () => {
  it('asks for the shown width at density 2 when the file has more pixels', () => {
    expect(optionsFor([use({ shown: { width: 300 } })], 800, 'medium')).toBe('300,2x,quality=medium')
  })
  it('keeps the size of a file that is shown at half its width or more, or at an unknown width', () => {
    expect(optionsFor([use({ shown: { width: 400 } })], 800, 'high')).toBe('full,quality=high')
    expect(optionsFor([use({ shown: { width: 100 } }), use()], 800, 'high')).toBe('full,quality=high')
  })
})

describe('findingsOf', () => {
  it('reports a saving, an oversize file and missing sizes', () => {
    const oversize = image(90_000, 30_000, [use({ shown: { width: 300 }, reservesSpace: false })])
    expect(findingsOf(oversize, false)).toEqual([
      { kind: 'smaller', savedBytes: 60_000 },
      { kind: 'oversize', shownWidth: 300 },
      { kind: 'no-size' },
    ])
  })
  it('reports nothing about an image that cannot be smaller', () => {
    expect(findingsOf(image(5000, 4900), true)).toEqual([])
    expect(findingsOf(image(5000, 6000), true)).toEqual([])
  })
  it('reports a lazy image only when it is the largest', () => {
    const lazy = image(5000, 5000, [use({ lazy: true })])
    expect([findingsOf(lazy, true), findingsOf(lazy, false)]).toEqual([[{ kind: 'lazy-largest' }], []])
  })
  it('reports why an image could not be measured', () => {
    expect(findingsOf(failed, false)).toEqual([{ kind: 'failed', reason: 'not found' }])
  })
})

it('puts the largest shown image first and the others by bytes saved', () => {
  const small = image(90_000, 10_000, [use({ shown: { width: 100, height: 100 } })])
  const large = image(50_000, 45_000, [use({ shown: { width: 1000, height: 500 } })])
  const icon = image(60_000, 55_000, [use({ role: 'icon' })], 5000)
  expect(largestOf([small, large, icon])).toBe(large)
  expect(inOrder([icon, small, large])).toEqual([large, small, icon])
})

it('an image that hostile pages mention a million times is reported', () => {
  const often = image(9000, 3000, Array<ImageUse>(1_000_000).fill(use({ shown: { width: 100, height: 50 } })))
  expect(largestOf([often])).toBe(often)
  expect(optionsFor(often.uses, 800, 'medium')).toBe('100,2x,quality=medium')
})

it('sums the bytes of measured images and counts failed ones separately', () => {
  expect(totalsOf([image(100_000, 40_000), image(100_000, 120_000), failed])).toEqual({
    images: 3,
    failed: 1,
    bytes: 200_000,
    afterBytes: 140_000,
    savedPercent: 30,
  })
})
