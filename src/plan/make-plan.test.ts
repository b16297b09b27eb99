import { describe, expect, it } from 'vitest'
import { boxOf, FIT, LIMITS, optionsOf, PAD, SCALE_DOWN, sourceOf } from '../../test/plan-samples.ts'
import { Failure } from '../core/failure.ts'
import type { OutputFormat, SourceFacts } from '../core/image.ts'
import type { Options } from '../options/options.ts'
import { makePlan, type PlanContext } from './make-plan.ts'
import type { Plan } from './plan.ts'

const planOf = (options: Partial<Options>, facts: Partial<SourceFacts>, context: Partial<PlanContext> = {}): Plan =>
  makePlan(optionsOf(options), sourceOf(facts), {
    limits: LIMITS,
    acceptWebp: false,
    acceptAvif: false,
    canEncodeAnimatedAvif: false,
    ...context,
  })

const JPEG: Partial<SourceFacts> = { format: 'jpeg', jpeg: { quality: 95, components: 3 } }
const ANIMATION: Partial<SourceFacts> = { format: 'gif', frames: 12 }
const SVG: Partial<SourceFacts> = { format: 'svg', alpha: true }
const SIZED = boxOf(200, 0, SCALE_DOWN)
const WEBP = { acceptWebp: true }
const JXL = { acceptJxl: true }
const BOTH = { acceptWebp: true, acceptAvif: true }

describe('formats that cannot hold the result', () => {
  const wide = { width: 17_000, height: 100 }
  const limits = { ...LIMITS, maxSide: 20_000 }
  it.each<[string, Partial<Options>, Partial<SourceFacts>, readonly OutputFormat[], number]>([
    ['left out when others can', {}, wide, ['jpeg', 'png'], 20_000],
    ['left out of animations', {}, { ...ANIMATION, ...wide }, ['gif'], 20_000],
    ['kept when the result is small enough', { resize: SIZED }, wide, ['avif', 'webp', 'jpeg', 'png'], 16_383],
    ['given a smaller result when they are forced', { format: 'webp' }, wide, ['webp'], 16_383],
    ['given a smaller result as a forced AVIF', { format: 'avif' }, wide, ['avif'], 16_384],
  ])('formats that cannot hold the result are %s', (_, options, facts, formats, maxSide) => {
    const plan = planOf(options, facts, { ...BOTH, limits })
    expect([plan.formats, plan.limits.maxSide]).toEqual([formats, maxSide])
  })
})

describe('formats to choose from (§4)', () => {
  type Case = readonly [string, Partial<Options>, Partial<SourceFacts>, Partial<PlanContext>, readonly OutputFormat[]]
  const cases: readonly Case[] = [
    ['JPEG or PNG of a JPEG', {}, JPEG, {}, ['jpeg', 'png']],
    ['JPEG or PNG of a PNG', {}, {}, {}, ['jpeg', 'png']],
    [
      'JPEG or PNG of a PNG that may be transparent, until its pixels are known',
      {},
      { alpha: true },
      {},
      ['jpeg', 'png'],
    ],
    ['JPEG or PNG of a WebP', {}, { format: 'webp' }, {}, ['jpeg', 'png']],
    ['JPEG or PNG of an AVIF', {}, { format: 'avif' }, {}, ['jpeg', 'png']],
    ['JPEG or PNG of a TIFF', {}, { format: 'tiff' }, {}, ['jpeg', 'png']],
    ['a static GIF may stay GIF', {}, { format: 'gif' }, {}, ['jpeg', 'png', 'gif']],
    ['a resized static GIF becomes JPEG or PNG', { resize: SIZED }, { format: 'gif' }, {}, ['jpeg', 'png']],
    ['WebP where it is accepted', {}, {}, WEBP, ['webp', 'jpeg', 'png']],
    ['AVIF where it is accepted', {}, {}, BOTH, ['avif', 'webp', 'jpeg', 'png']],
    ['JPEG XL in place of JPEG where it is accepted', {}, {}, { ...BOTH, ...JXL }, ['avif', 'webp', 'jxl', 'png']],
    ['the coefficients of a JPEG in either form without loss', { quality: 'lossless' }, JPEG, JXL, ['jxl', 'jpeg']],
    ['no JPEG XL of other sources without loss', { quality: 'lossless' }, {}, JXL, ['png']],
    ['no JPEG XL of an animation', {}, ANIMATION, JXL, ['gif']],
    ['a forced JPEG XL, and what is next best', { format: 'jxl' }, {}, WEBP, ['jxl', 'webp', 'jpeg', 'png']],
    ['what is next best in place of an animated JPEG XL', { format: 'jxl' }, ANIMATION, {}, ['gif']],
    ['what is next best without loss', { format: 'jxl', quality: 'lossless' }, {}, {}, ['png']],
    ['a forced format alone', { format: 'png' }, JPEG, BOTH, ['png']],
    ['a forced WebP without Accept', { format: 'webp' }, JPEG, {}, ['webp']],
    ['a forced GIF of a still', { format: 'gif' }, {}, {}, ['gif']],
    ['lossless JPEG stays JPEG', { quality: 'lossless' }, JPEG, BOTH, ['jpeg']],
    ['lossless PNG stays PNG', { quality: 'lossless' }, {}, {}, ['png']],
    ['lossless WebP where it is accepted', { quality: 'lossless' }, {}, BOTH, ['webp', 'png']],
    ['lossless GIF', { quality: 'lossless' }, { format: 'gif' }, {}, ['png', 'gif']],
    ['an animated GIF stays GIF', {}, ANIMATION, {}, ['gif']],
    ['resized too', { resize: SIZED }, ANIMATION, {}, ['gif']],
    ['or becomes WebP where it is accepted, AVIF never', {}, ANIMATION, BOTH, ['webp', 'gif']],
    ['markup of an SVG under full', {}, SVG, BOTH, ['svg']],
    ['markup under lossless', { quality: 'lossless' }, SVG, {}, ['svg']],
    ['pixels of an SVG with a size', { resize: SIZED }, SVG, {}, ['jpeg', 'png']],
    ['pixels of an SVG in a raster format', { format: 'webp' }, SVG, {}, ['webp']],
  ]
  it.each(cases)('chooses %s', (_, options, facts, context, formats) => {
    expect(planOf(options, facts, context).formats).toEqual(formats)
  })
})

describe('animation (§4.3)', () => {
  it.each([
    ['gif', true],
    ['webp', true],
    ['webm', true],
    ['h264', true],
    ['png', false],
    ['jpeg', false],
  ] as const)('format=%s of an animated GIF keeps all frames: %s', (format, animated) => {
    const plan = planOf({ format }, ANIMATION)
    expect([plan.formats, plan.animated, plan.warnings]).toEqual([[format], animated, []])
  })

  it('animated AVIF without an encoder becomes its first frame, with a Warning', () => {
    expect(planOf({ format: 'avif' }, ANIMATION, { canEncodeAnimatedAvif: true })).toMatchObject({
      animated: true,
      warnings: [],
    })
    const without = planOf({ format: 'avif' }, ANIMATION)
    expect(without.animated).toBe(false)
    expect(without.warnings).toEqual([
      'No encoder for animated AVIF is installed here: only the first frame is returned.',
    ])
  })

  it('an animated WebP becomes GIF with a Warning, or stays WebP when that is accepted', () => {
    const gif = planOf({}, { format: 'webp', frames: 3 })
    expect([gif.formats, gif.animated, gif.warnings.length]).toEqual([['gif'], true, 1])
    const webp = planOf({}, { format: 'webp', frames: 3 }, WEBP)
    expect([webp.formats, webp.animated, webp.warnings]).toEqual([['webp'], true, []])
  })

  it.each<[string, Partial<Options>, Partial<PlanContext>, readonly string[], boolean]>([
    ['as it is', {}, {}, ['png'], true],
    ['in a size', { resize: SIZED }, {}, ['png'], true],
    ['asked for as PNG', { format: 'png' }, {}, ['png'], true],
    ['or WebP when that is accepted', {}, WEBP, ['webp', 'png'], true],
    ['asked for as JPEG', { format: 'jpeg' }, {}, ['jpeg'], false],
  ])('an APNG stays one: %s', (_, options, context, formats, animated) => {
    const plan = planOf(options, { format: 'png', frames: 3 }, context)
    expect([plan.formats, plan.animated, plan.warnings]).toEqual([formats, animated, []])
  })

  it.each(['webm', 'h264'] as const)('format=%s of a still image fails', (format) => {
    for (const facts of [{}, JPEG, SVG, { format: 'gif' }, { format: 'tiff', frames: 3 }] as const) {
      expect(() => planOf({ format }, facts)).toThrow(Failure)
      expect(() => planOf({ format }, facts)).toThrow(/does not move/)
    }
  })

  it('the first page of a TIFF is used, with a Warning', () => {
    const plan = planOf({}, { format: 'tiff', frames: 3 })
    expect([plan.animated, plan.warnings]).toEqual([false, ['The source has 3 images; only the first is used.']])
  })
})

describe('quality (§3)', () => {
  const scoreOf = ({ target }: Plan): number | string => (target.kind === 'score' ? target.score : target.kind)

  it.each<[string, Partial<Options>, Partial<SourceFacts>, number | string]>([
    ['medium asks for 70', {}, {}, 70],
    ['high asks for 85', { quality: 'high' }, {}, 85],
    ['2x asks for less', { resize: boxOf(200, 0, SCALE_DOWN, 2) }, {}, 62],
    ['lossless is lossless', { quality: 'lossless' }, {}, 'lossless'],
    ['lossless of a JPEG too', { quality: 'lossless' }, JPEG, 'lossless'],
    ['lossless of an animated GIF too', { quality: 'lossless' }, ANIMATION, 'lossless'],
    ['lossless of a resized image is read as high', { quality: 'lossless', resize: SIZED }, {}, 85],
    ['lossless video is read as high', { quality: 'lossless', format: 'h264' }, ANIMATION, 85],
    ['a new lossless JPEG is read as high', { quality: 'lossless', format: 'jpeg' }, {}, 85],
    ['a lossless trimmed JPEG is read as high', { quality: 'lossless', trim: true }, JPEG, 85],
    ['a good JPEG may lose down to the preset', {}, JPEG, 70],
    ['a poor JPEG must be met at 80', {}, { ...JPEG, jpeg: { quality: 50, components: 3 } }, 80],
    [
      'a poor JPEG shown small is not poor',
      { resize: boxOf(100, 0, SCALE_DOWN) },
      { ...JPEG, jpeg: { quality: 50, components: 3 } },
      70,
    ],
    [
      'a poor JPEG enlarged stays poor',
      { resize: boxOf(2000, 0, FIT) },
      { ...JPEG, jpeg: { quality: 50, components: 3 } },
      80,
    ],
  ])('sets the target: %s', (_, options, facts, score) => {
    const plan = planOf(options, facts)
    expect(scoreOf(plan)).toBe(score)
    expect(plan.warnings.length).toBe(options.quality === 'lossless' && score === 85 ? 1 : 0)
  })
})

describe('what a new encode of a JPEG must score against it (§3.2)', () => {
  // Own scores by sourceScore: 31, 63, 67, 75, 81, 89 and 92. Within 10 of the preset nothing visible may be added.
  it.each([
    [20, 80, 80, 85],
    [50, 80, 80, 85],
    [60, 55, 80, 85],
    [75, 55, 80, 85],
    [85, 55, 70, 85],
    [95, 55, 70, 85],
    [99, 55, 70, 85],
  ])('a JPEG of quality %i requires %i for low, %i for medium, %i for high', (quality, ...expected) => {
    const facts = { ...JPEG, jpeg: { quality, components: 3 } } as const
    const targets = (['low', 'medium', 'high'] as const).map((preset) => planOf({ quality: preset }, facts).target)
    expect(targets.map((target) => target.kind === 'score' && target.score)).toEqual(expected)
  })
})

describe('never larger than the source (§3.4)', () => {
  it.each<[string, Partial<Options>, Partial<SourceFacts>, boolean, boolean]>([
    ['holds for JPEG', {}, JPEG, true, false],
    ['holds for PNG', {}, {}, true, false],
    ['holds for GIF', {}, ANIMATION, true, false],
    ['holds for SVG', {}, SVG, true, false],
    ['not for WebP, which may grow', {}, { format: 'webp' }, false, true],
    ['not for AVIF, which may grow', {}, { format: 'avif' }, false, true],
    ['not for TIFF, which may grow', {}, { format: 'tiff' }, false, true],
    ['not with a size', { resize: SIZED }, {}, false, false],
    ['not with trimming', { trim: true }, {}, false, false],
    ['not with a forced format', { format: 'png' }, JPEG, false, false],
    ['not with a forced format of a WebP', { format: 'png' }, { format: 'webp' }, false, false],
  ])('"never larger" %s', (_, options, facts, neverLarger, mayGrow) => {
    const plan = planOf(options, facts)
    expect([plan.neverLarger, plan.mayGrow]).toEqual([neverLarger, mayGrow])
  })
})

describe('the background', () => {
  it('a transparent background is kept when a format has transparency', () => {
    const plan = planOf({ background: 'transparent', resize: boxOf(200, 200, PAD) }, JPEG)
    expect([plan.background, plan.warnings]).toEqual(['transparent', []])
  })

  it.each(['jpeg', 'h264'] as const)('a transparent background becomes white in %s, with a Warning', (format) => {
    const plan = planOf({ background: 'transparent', format }, format === 'jpeg' ? {} : ANIMATION)
    expect(plan.background).toEqual({ r: 255, g: 255, b: 255 })
    expect(plan.warnings).toEqual([`bgcolor=transparent is not possible in ${format}; FFF is used.`])
  })
})

it('trimming SVG markup is ignored, with a Warning', () => {
  const plan = planOf({ trim: true }, SVG)
  expect([plan.trim, plan.formats, plan.warnings.length]).toEqual([false, ['svg'], 1])
  expect(planOf({ trim: true, resize: SIZED }, SVG)).toMatchObject({ trim: true, warnings: [] })
})

it('a source beyond the limits fails before anything else', () => {
  expect(() => planOf({ format: 'webm' }, { width: 10001 })).toThrow(/at most 10000 px a side/)
})
