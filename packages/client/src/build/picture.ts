import type { Variant } from '../variant.ts'
import type { BuildResult } from './optimiser.ts'

/** A variant, its result, and the address of the result in the page. */
export interface Candidate {
  readonly url: string
  readonly variant: Variant
  readonly result: Pick<BuildResult, 'kind' | 'contentType' | 'size'>
}

/** Candidates of one media type, for one `<source>` or for `<img>`. */
export interface CandidateGroup {
  readonly type: string
  readonly candidates: readonly [Candidate, ...Candidate[]]
}

/** Content of `<picture>`: a source for each modern format, and a fallback that every browser supports. */
export interface Picture {
  readonly sources: readonly CandidateGroup[]
  readonly fallback: CandidateGroup
}

/** Types that some browsers do not support. */
const MODERN: ReadonlySet<string> = new Set(['image/jxl', 'image/avif', 'image/webp'])
const isModern = ({ type }: CandidateGroup): boolean => MODERN.has(type)

/** Moves JPEG XL to the front. A browser that supports it supports the other types too, and uses the first one it supports. */
const jxlFirst = (groups: readonly CandidateGroup[]): readonly CandidateGroup[] => {
  const isJxl = ({ type }: CandidateGroup): boolean => type === 'image/jxl'
  return [...groups.filter(isJxl), ...groups.filter((group) => !isJxl(group))]
}

/** Drops candidates that are originals. Keeps the first one if there is no other candidate. */
const withoutOriginals = (candidates: readonly Candidate[]): readonly Candidate[] => {
  const optimised = candidates.filter(({ result }) => result.kind === 'optimised')
  return optimised.length > 0 ? optimised : candidates.slice(0, 1)
}

/** Groups candidates by their requested format, and keeps one candidate per width. Returns undefined without candidates. */
export const pictureOf = (all: readonly Candidate[]): Picture | undefined => {
  const usable = withoutOriginals(all)
  const formats = [...new Set(usable.map(({ variant }) => variant.format))]
  const groups = formats
    .map((format) => distinct(usable.filter(({ variant }) => variant.format === format)))
    .flatMap(([first, ...more]): readonly CandidateGroup[] =>
      first === undefined ? [] : [{ type: first.result.contentType, candidates: [first, ...more] }],
    )
  const fallback = groups.findLast((group) => !isModern(group)) ?? groups.at(-1)
  return fallback === undefined
    ? undefined
    : { fallback, sources: jxlFirst(groups.filter((group) => group !== fallback && isModern(group))) }
}

const distinct = (candidates: readonly Candidate[]): readonly Candidate[] => [
  ...new Map(candidates.map((each) => [descriptorOf(each, candidates), each])).values(),
]

/** Returns the descriptor for `srcset`: the density if candidates differ in it alone, otherwise the width of the result. */
const descriptorOf = ({ variant, result }: Candidate, among: readonly Candidate[]): string => {
  const widths = new Set(among.map((each) => each.variant.width))
  const densities = new Set(among.map((each) => each.variant.density))
  if (widths.size === 1 && densities.size > 1) return `${variant.density ?? 1}x`
  return result.size === undefined ? '1x' : `${result.size.width}w`
}

/** Returns `srcset` of a group: addresses with descriptors, or a single address alone. Addresses must not contain spaces. */
export const srcsetOf = ({ candidates }: CandidateGroup): string =>
  candidates.length === 1
    ? candidates[0].url
    : candidates.map((each) => `${each.url} ${descriptorOf(each, candidates)}`).join(', ')

/** Returns the widest candidate of a group. The page uses its address for `src`, and its size. */
export const largestOf = ({ candidates: [first, ...more] }: CandidateGroup): Candidate =>
  more.reduce(
    (widest, each) => ((each.result.size?.width ?? 0) > (widest.result.size?.width ?? 0) ? each : widest),
    first,
  )

/** Returns the size in CSS pixels: the size in pixels divided by the density. */
export const cssSizeOf = ({
  variant,
  result,
}: Candidate): { readonly width: number; readonly height: number } | undefined => {
  const density = variant.density ?? 1
  return (
    result.size && { width: Math.round(result.size.width / density), height: Math.round(result.size.height / density) }
  )
}
