import type { Gamut, Metadata, RequestableFormat, Rgb } from '../core/image.ts'
import type { Density } from '../core/units.ts'
import type { Method, OptionLimits, Preset } from './options.ts'

/** The request of one item. Sides are whole CSS pixels, 1..10000. */
export type Claim =
  | { readonly kind: 'full' }
  /** An absent side has no limit. */
  | { readonly kind: 'size'; readonly width?: number; readonly height?: number }
  | { readonly kind: 'density'; readonly density: Density }
  | { readonly kind: 'method'; readonly method: Method }
  /** One coordinate of a focal point, 0..1. */
  | { readonly kind: 'coordinate'; readonly axis: 'x' | 'y'; readonly at: number }
  | { readonly kind: 'trim' }
  | { readonly kind: 'background'; readonly colour: Rgb | 'transparent' }
  | { readonly kind: 'quality'; readonly preset: Preset }
  | { readonly kind: 'format'; readonly format: RequestableFormat | 'auto' }
  | { readonly kind: 'gamut'; readonly gamut: Gamut }
  | { readonly kind: 'meta'; readonly meta: Metadata }
  | { readonly kind: 'max-bytes'; readonly bytes: number }
  | { readonly kind: 'timeout'; readonly seconds: number }

/** The reading of an item. `why` describes a slight error; `expected` completes "expected ...". */
export type Reading =
  | { readonly kind: 'read'; readonly claim: Claim; readonly why?: string }
  | { readonly kind: 'wrong'; readonly expected: string }

/** One way to write an option. `match` is applied to the decoded item in lower case, without stray spaces. */
export interface Pattern {
  readonly match: RegExp
  /** Groups without a match are empty strings. */
  readonly read: (groups: readonly string[], limits: OptionLimits) => Reading
}

/** A list that is accepted with Warnings: the sent text, its canonical form, and all Warnings. */
export interface SlightlyWrong {
  readonly send: string
  readonly read: string
  readonly warnings: readonly string[]
}

/** A list that is refused, and the whole error text. */
export interface Wrong {
  readonly send: string
  readonly text: string
}

/** One row of the options table (§2). It drives parser, suggestions, documentation and tests. */
export interface OptionRow {
  readonly name: string
  readonly form: string
  readonly default: string
  readonly help: string
  /** The text before the `=`. `expected` completes "expected ..." for such an item. */
  readonly key?: { readonly name: string; readonly expected: string }
  /** Other names of the key. They are read with a Warning. */
  readonly aliases?: readonly string[]
  readonly patterns: readonly Pattern[]
  /** Words that an unknown item may resemble, each with the item to suggest. */
  readonly words: Readonly<Record<string, string>>
  readonly samples: readonly string[]
  readonly slightlyWrong: readonly SlightlyWrong[]
  readonly wrong: readonly Wrong[]
}

/** A reading. `why` describes a slight error. */
export const read = (claim: Claim, why?: string): Reading =>
  why === undefined ? { kind: 'read', claim } : { kind: 'read', claim, why }

/** A refused reading. */
export const wrong = (expected: string): Reading => ({ kind: 'wrong', expected })

/** Joins slight errors. undefined without any. */
export const because = (...whys: readonly (string | false)[]): string | undefined => {
  const given = whys.filter((why) => why !== false)
  return given.length === 0 ? undefined : given.join('; ')
}
