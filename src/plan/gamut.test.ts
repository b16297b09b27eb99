import { expect, it } from 'vitest'
import { sourceOf } from '../../test/plan-samples.ts'
import type { OutputFormat, SourceFacts } from '../core/image.ts'
import { settleGamut } from './gamut.ts'

const WIDE: Partial<SourceFacts> = { profile: 'other' }
const settle = (
  facts: Partial<SourceFacts>,
  formats: readonly OutputFormat[],
  animated = false,
  gamut: 'p3' | 'srgb' = 'p3',
) => settleGamut({ gamut }, sourceOf(facts), { formats, animated })

it.each<[string, Partial<SourceFacts>, readonly OutputFormat[]]>([
  ['of a profile', WIDE, ['jpeg', 'png']],
  ['of code points', { profile: 'other', codePoints: { primaries: 9, transfer: 16 } }, ['avif']],
  ['of a JPEG of three components', { ...WIDE, format: 'jpeg', jpeg: { quality: 90, components: 3 } }, ['webp']],
])('wide colours %s are kept, without a Warning', (_, facts, formats) =>
  expect(settle(facts, formats)).toEqual({ gamut: 'p3', warnings: [] }))

it.each<[string, Partial<SourceFacts>]>([
  ['sRGB', { profile: 'srgb' }],
  ['no profile', {}],
  ['ink', { ...WIDE, format: 'jpeg', jpeg: { quality: 90, components: 4 } }],
  ['grey', { ...WIDE, format: 'jpeg', jpeg: { quality: 90, components: 1 } }],
])('%s stays sRGB without a Warning', (_, facts) => expect(settle(facts, ['jpeg'])).toEqual({ warnings: [] }))

it('a result without gamut=p3 stays sRGB', () =>
  expect(settle(WIDE, ['jpeg'], false, 'srgb')).toEqual({ warnings: [] }))

it.each<[readonly OutputFormat[], boolean, string]>([
  [['gif'], false, 'gif'],
  [['webp', 'gif'], true, 'an animation'],
])('%j cannot label the gamut, and a Warning says so', (formats, animated, what) =>
  expect(settle(WIDE, formats, animated)).toEqual({
    warnings: [`gamut=p3 is not possible in ${what}; sRGB is used.`],
  }))
