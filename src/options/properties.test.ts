import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GAMUTS, METADATA, REQUESTABLE_FORMATS } from '../core/image.ts'
import { cssPx, type Density } from '../core/units.ts'
import { EDGES, type Method, type OptionLimits, type Options, PRESETS, type Resize } from './options.ts'
import { parseOptions } from './parse.ts'
import { printOptions } from './print.ts'
import { LISTS_SLIGHTLY_WRONG, LISTS_WRONG } from './rows/list.ts'
import { OPTIONS_TABLE } from './table.ts'

const LIMITS: OptionLimits = { maxTimeout: 30 }

const SAMPLES: readonly string[] = [
  ...OPTIONS_TABLE.flatMap((row) => [...row.samples, ...row.slightlyWrong.map(({ send }) => send)]),
  ...LISTS_SLIGHTLY_WRONG.map(({ send }) => send),
]
const WRONG: readonly string[] = [...OPTIONS_TABLE.flatMap((row) => row.wrong), ...LISTS_WRONG].map(({ send }) => send)

const itemsOf = (lists: readonly string[]): string[] => [...new Set(lists.flatMap((list) => list.split(',')))]

/** Items of the table's samples; a few of them are wrong. */
const anyList = (): fc.Arbitrary<string[]> =>
  fc.array(
    fc.oneof(
      { weight: 60, arbitrary: fc.constantFrom(...itemsOf(SAMPLES)) },
      { weight: 1, arbitrary: fc.constantFrom(...itemsOf(WRONG)) },
    ),
    { minLength: 1, maxLength: 12 },
  )

const shuffled = (items: readonly string[]): fc.Arbitrary<string[]> =>
  fc.shuffledSubarray([...items], { minLength: items.length })

const anyFraction = fc.integer({ min: 0, max: 10_000 }).map((value) => value / 10_000)
const anyCrop: fc.Arbitrary<Method> = fc
  .oneof(
    fc.constant({ kind: 'centre' } as const),
    fc.constant({ kind: 'auto' } as const),
    fc.constantFrom(...EDGES).map((edge) => ({ kind: 'edge', edge }) as const),
    fc.tuple(anyFraction, anyFraction).map(([x, y]) => ({ kind: 'point', at: { x, y } }) as const),
  )
  .map((focus) => ({ kind: 'crop', focus }))
const anyMethod: fc.Arbitrary<Method> = fc.constantFrom<Method[]>({ kind: 'scale-down' }, { kind: 'fit' })

const anySide = fc.integer({ min: 1, max: 10_000 }).map(cssPx)
const anyDensity = fc.constantFrom<Density[]>(1, 2, 3)
const box = (sides: Record<string, typeof anySide>, method: fc.Arbitrary<Method>): fc.Arbitrary<Resize> =>
  fc.record({ kind: fc.constant('box' as const), ...sides, density: anyDensity, method })
const anyResize: fc.Arbitrary<Resize> = fc.oneof(
  fc.constant({ kind: 'full' } as const),
  box({ width: anySide }, anyMethod),
  box({ height: anySide }, anyMethod),
  box({ width: anySide, height: anySide }, fc.oneof(anyMethod, anyCrop, fc.constant<Method>({ kind: 'pad' }))),
)

const anyChannel = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 17, 204, 255))
const keepsPixels = ({ resize, format }: Options): boolean =>
  resize.kind === 'full' && (format === 'auto' || format === 'png')

/** Every option list that parsing can return. */
const anyOptions = (): fc.Arbitrary<Options> =>
  fc
    .record<Options>({
      resize: anyResize,
      trim: fc.boolean(),
      background: fc.oneof(
        fc.constant('transparent' as const),
        fc.record({ r: anyChannel, g: anyChannel, b: anyChannel }),
      ),
      quality: fc.constantFrom(...PRESETS),
      format: fc.constantFrom('auto' as const, ...REQUESTABLE_FORMATS),
      gamut: fc.constantFrom(...GAMUTS),
      meta: fc.constantFrom(...METADATA),
      timeout: fc.integer({ min: 1, max: 30_000 }).map((ms) => ms / 1000),
    })
    .filter((options) => options.quality !== 'lossless' || keepsPixels(options))

const read = (segment: string, limits = LIMITS): { options: Options; warnings: readonly string[] } => {
  const result = parseOptions(segment, limits)
  if (result.kind === 'wrong') throw new Error(`${segment}: ${result.failure.message}`)
  return result
}

describe('for whatever is sent', () => {
  it('parsing never throws, and its texts are valid in headers', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string(),
          anyList().map((items) => items.join()),
        ),
        (text) => {
          const result = parseOptions(text, LIMITS)
          if (result.kind === 'wrong')
            return result.failure.status === 400 && /^[\x20-\x7e]+$/.test(result.failure.message)
          return result.warnings.length <= 8 && result.warnings.every((warning) => /^[\x20-\x7e]{1,200}$/.test(warning))
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('random bytes, percent-encoded or not, never throw', () => {
    const encoded = fc
      .uint8Array({ maxLength: 60 })
      .map((bytes) =>
        Array.from(bytes, (byte) => (byte % 3 === 0 ? `%${byte.toString(16)}` : String.fromCharCode(byte))).join(''),
      )
    fc.assert(fc.property(encoded, (text) => ['ok', 'wrong'].includes(parseOptions(text, LIMITS).kind)))
  })

  it('any order of the items gives the same options and the same Warnings (§2.1)', () => {
    const orders = anyList().chain((items) => fc.tuple(fc.constant(items), shuffled(items)))
    fc.assert(
      fc.property(orders, ([items, others]) => {
        const [one, other] = [parseOptions(items.join(), LIMITS), parseOptions(others.join(), LIMITS)]
        expect(other.kind).toBe(one.kind)
        if (one.kind === 'ok') expect(other).toEqual(one)
      }),
      { numRuns: 3000 },
    )
  })

  it('printed options parse to the same options, with a Warning only for a height alone', () => {
    fc.assert(
      fc.property(anyOptions(), fc.integer({ min: 30, max: 90 }), (options, maxTimeout) => {
        const limits = { maxTimeout, defaultTimeout: 15 }
        const result = read(printOptions(options, limits), limits)
        expect(result.options).toEqual(options)
        const heightAlone = options.resize.kind === 'box' && options.resize.width === undefined
        expect(result.warnings).toHaveLength(heightAlone ? 1 : 0)
      }),
      { numRuns: 3000 },
    )
  })

  it('printing a parsed list gives the canonical list, which parses to itself', () => {
    fc.assert(
      fc.property(anyList(), (items) => {
        const result = parseOptions(items.join(), LIMITS)
        if (result.kind === 'wrong') return
        const canonical = printOptions(result.options)
        expect(printOptions(read(canonical).options)).toBe(canonical)
      }),
    )
  })
})
