import type { Gamut, RequestableFormat, Rgb } from '../core/image.ts'
import type { Density } from '../core/units.ts'
import type { Method, OptionLimits, Preset } from './options.ts'

/** What one item of an option list asks for. Sides are whole CSS pixels, 1..10000. */
export type Claim =
  | { readonly kind: 'full' }
  /** A side that is absent is not limited. */
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
  | { readonly kind: 'timeout'; readonly seconds: number }

/** How an item was understood. `why` says what is slightly wrong with it; `expected` completes "expected ...". */
export type Reading =
  | { readonly kind: 'read'; readonly claim: Claim; readonly why?: string }
  | { readonly kind: 'wrong'; readonly expected: string }

/** One way to write an option. `match` sees the item decoded, without stray spaces, in lower case. */
export interface Pattern {
  readonly match: RegExp
  /** Groups that did not take part are empty strings. */
  readonly read: (groups: readonly string[], limits: OptionLimits) => Reading
}

/** A list that works with a Warning: what is sent, the canonical list it is read as, every Warning it yields. */
export interface SlightlyWrong {
  readonly send: string
  readonly read: string
  readonly warnings: readonly string[]
}

/** A list that is refused, and the whole text. */
export interface Wrong {
  readonly send: string
  readonly text: string
}

/** One row of the options table (§2): it drives parser, suggestions, documentation and tests. */
export interface OptionRow {
  readonly name: string
  readonly form: string
  readonly default: string
  readonly help: string
  /** What stands before the `=`, and what is expected of such an item: completes "expected ...". */
  readonly key?: { readonly name: string; readonly expected: string }
  /** Other names for the key: read, with a Warning. */
  readonly aliases?: readonly string[]
  readonly patterns: readonly Pattern[]
  /** Words that may be meant when something unknown comes near them, each with the item to suggest. */
  readonly words: Readonly<Record<string, string>>
  readonly samples: readonly string[]
  readonly slightlyWrong: readonly SlightlyWrong[]
  readonly wrong: readonly Wrong[]
}

/** A reading without, or with, something slightly wrong. */
export const read = (claim: Claim, why?: string): Reading =>
  why === undefined ? { kind: 'read', claim } : { kind: 'read', claim, why }

/** A reading that is refused. */
export const wrong = (expected: string): Reading => ({ kind: 'wrong', expected })

/** Joins what is slightly wrong with an item; undefined when nothing is. */
export const because = (...whys: readonly (string | false)[]): string | undefined => {
  const given = whys.filter((why) => why !== false)
  return given.length === 0 ? undefined : given.join('; ')
}
