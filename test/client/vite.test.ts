import { describe, expect, it } from 'vitest'
import type { Candidate } from '../../packages/client/src/build/picture.ts'
import { variantsOf } from '../../packages/client/src/build/variants.ts'
import { whittle } from '../../packages/client/src/client.ts'
import { applyVariant, type Variant } from '../../packages/client/src/variant.ts'
import { hasWhittle, readDirectives } from '../../packages/client/src/vite/directives.ts'
import { assetNameOf } from '../../packages/client/src/vite/imported.ts'
import { exportOf } from '../../packages/client/src/vite/shape.ts'
import { OPTIONS_TABLE } from '../../src/options/table.ts'

const lists = (query: string, defaults?: Variant): string[] => {
  const { variant, lists } = readDirectives(query, defaults)
  return variantsOf(variant, lists, undefined).map((each) =>
    applyVariant(whittle('http://e.com', 'a').url('x'), each).options(),
  )
}

describe('the directives of an import', () => {
  it.each([
    ['whittle', ['full']],
    ['whittle&w=400;800&format=webp;auto', ['400,format=webp', '800,format=webp', '400', '800']],
    ['whittle&w=400;800&h=300&crop=auto', ['400x300,crop=auto', '800x600,crop=auto']],
    ['import&whittle&t=123&width=60&density=1x;3', ['60,1x', '60,3x']],
    ['whittle&w=9&h=9&pad&background=F60&trim', ['9x9,pad,trim=border,bgcolor=F60']],
    ['whittle&h=90&fit&q=low&format=jpg', ['x90,fit,quality=low,format=jpeg']],
    ['whittle&w=9&h=9&crop=0.5x1', ['9x9,crop=0.5x1']],
  ])('%s requests the options %j', (query, options) => expect(lists(query)).toEqual(options))

  it('override the defaults', () => {
    expect(lists('whittle&w=9', { quality: 'high', trim: true })).toEqual(['9,trim=border,quality=high'])
    expect(lists('whittle&quality=low', { quality: 'high' })).toEqual(['full,quality=low'])
  })

  it.each([
    ['w=', 'whole CSS pixels from 1 to 10000'],
    ['w=400;0', 'whole CSS pixels'],
    ['h=9;9', 'whole CSS pixels'],
    ['density=4', '1, 2 or 3'],
    ['format=bmp', 'auto, png, jpeg'],
    ['quality=80', 'low, medium, high, lossless'],
    ['crop=2x0', 'auto, top'],
    ['fit=cover', 'fit alone'],
    ['background=red', '3 or 6 hex digits'],
    ['gamut=rec2020', 'p3 or srgb'],
    ['as=text', 'url, srcset, img, picture, meta'],
    ['sharpen=1', 'is not a directive: expected w, h, density, format'],
  ])('refuses %s and names the accepted values', (query, expected) => {
    expect(() => readDirectives(`whittle&${query}`)).toThrow(expected)
  })

  it('include every option of the service but timeout and the default method', () => {
    const words = OPTIONS_TABLE.map(({ name }) => name.split('=')[0])
    const known = {
      full: '',
      size: 'w=9&h=9',
      'width only': 'w=9',
      density: 'w=9&density=2',
      fit: 'fit',
      crop: 'crop',
      pad: 'pad',
      trim: 'trim',
      bgcolor: 'bgcolor=FFF',
      quality: 'quality=low',
      format: 'format=png',
      gamut: 'gamut=p3',
      meta: 'meta=copyright',
      preset: 'preset=card',
      'max-bytes': 'max-bytes=9000',
    }
    const left = [...new Set(words)].filter((word) => !(word! in known))
    expect(left).toEqual(['scale-down', 'timeout'])
    for (const query of Object.values(known)) expect(lists(`whittle&${query}`)).toHaveLength(1)
  })

  it.each([
    ['/a/photo.png?whittle', true],
    ['/a/photo.png?w=4&whittle&as=img', true],
    ['/a/whittle.png?w=4', false],
    ['/a/photo.png?whittled', false],
    ['/a/whittle', false],
  ])('recognises the query of %s: %s', (id, ours) => expect(hasWhittle(id)).toBe(ours))
})

describe('the value of an import', () => {
  const candidate = (url: string, width: number, format?: 'avif'): Candidate => ({
    url,
    variant: { width, ...(format === undefined ? {} : { format }) },
    result: {
      kind: 'optimised',
      contentType: `image/${format ?? 'jpeg'}`,
      size: { format: format ?? 'jpeg', width, height: 9, animated: false },
    },
  })
  const all = [candidate('a', 40, 'avif'), candidate('b', 80, 'avif'), candidate('c', 40), candidate('d', 80)]
  it.each([
    ['url', all.slice(0, 1), 'a'],
    ['url', all, ['a', 'b', 'c', 'd']],
    ['srcset', all.slice(2), 'c 40w, d 80w'],
    ['img', all.slice(2), { src: 'd', srcset: 'c 40w, d 80w', w: 80, h: 9 }],
    ['img', all.slice(3), { src: 'd', w: 80, h: 9 }],
    ['picture', all, { sources: { avif: 'a 40w, b 80w' }, img: { src: 'd', srcset: 'c 40w, d 80w', w: 80, h: 9 } }],
    ['meta', all.slice(0, 1), { src: 'a', type: 'image/avif', width: 40, height: 9 }],
    ['lqip', all.slice(0, 1), ''],
  ] as const)('is exported as %s', (shape, candidates, value) => expect(exportOf(shape, candidates)).toEqual(value))
})

it('readDirectives recognises a request for a placeholder', () => {
  expect(readDirectives('whittle&as=img&placeholder=blur')).toMatchObject({ shape: 'img', placeholder: true })
  expect(readDirectives('whittle&as=lqip').placeholder).toBe(true)
  expect(readDirectives('whittle').placeholder).toBe(false)
  const placeholder = { width: 9, height: 8, blurDataURL: 'data:x', thumbHash: 'h', dominantColour: '#123456' }
  expect(exportOf('lqip', [], placeholder)).toBe('data:x')
  const candidate = {
    url: 'a',
    variant: {},
    result: { kind: 'optimised', contentType: 'image/png', size: undefined },
  } as const
  expect(exportOf('img', [candidate], placeholder)).toEqual({ src: 'a', placeholder })
  expect(exportOf('picture', [candidate], placeholder)).toEqual({ sources: {}, img: { src: 'a', placeholder } })
})

it('assets have names that need no escape in a srcset', () => {
  const image = { file: '/x/my photo, (1) é.png', name: '', bytes: new Uint8Array(), size: undefined }
  expect(assetNameOf(image, 'image/webp')).toBe('my-photo-1-é.webp')
})
