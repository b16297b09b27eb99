import type { Variant } from '../variant.ts'
import type { Optimised } from './optimiser.ts'

/** A variant that was made, and where the page finds it. */
export interface Candidate {
  readonly url: string
  readonly variant: Variant
  readonly result: Pick<Optimised, 'kind' | 'contentType' | 'size'>
}

/** The candidates of one format, for one `<source>` or the `<img>`. */
export interface CandidateGroup {
  readonly type: string
  readonly candidates: readonly [Candidate, ...Candidate[]]
}

/** Content of `<picture>`: a source for each modern format, and the fallback for every browser. */
export interface Picture {
  readonly sources: readonly CandidateGroup[]
  readonly fallback: CandidateGroup
}

/** Types that not every browser shows. */
const MODERN: ReadonlySet<string> = new Set(['image/jxl', 'image/avif', 'image/webp'])
const isModern = ({ type }: CandidateGroup): boolean => MODERN.has(type)

/** JPEG XL stands first: browsers that show it show the others too, and take the first that they know. */
const jxlFirst = (groups: readonly CandidateGroup[]): readonly CandidateGroup[] => {
  const isJxl = ({ type }: CandidateGroup): boolean => type === 'image/jxl'
  return [...groups.filter(isJxl), ...groups.filter((group) => !isJxl(group))]
}

/** Drops originals that could not be optimised, unless there are no other candidates. */
const withoutFailures = (candidates: readonly Candidate[]): readonly Candidate[] => {
  const made = candidates.filter(({ result }) => result.kind === 'optimised')
  return made.length > 0 ? made : candidates.slice(0, 1)
}

/** Groups candidates by the format that was asked for; of several that came out as wide as each other one stays. Undefined where there is none. */
export const pictureOf = (all: readonly Candidate[]): Picture | undefined => {
  const made = withoutFailures(all)
  const formats = [...new Set(made.map(({ variant }) => variant.format))]
  const groups = formats
    .map((format) => distinct(made.filter(({ variant }) => variant.format === format)))
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

/** The srcset descriptor: the density for several densities of one width, otherwise the width of the result. */
const descriptorOf = ({ variant, result }: Candidate, among: readonly Candidate[]): string => {
  const widths = new Set(among.map((each) => each.variant.width))
  const densities = new Set(among.map((each) => each.variant.density))
  if (widths.size === 1 && densities.size > 1) return `${variant.density ?? 1}x`
  return result.size === undefined ? '1x' : `${result.size.width}w`
}

/** `srcset` of a group; of one candidate its address alone. Addresses may hold no space. */
export const srcsetOf = ({ candidates }: CandidateGroup): string =>
  candidates.length === 1
    ? candidates[0].url
    : candidates.map((each) => `${each.url} ${descriptorOf(each, candidates)}`).join(', ')

/** The largest of a group: what `src` names, and whose sides the page reserves room for. */
export const largestOf = ({ candidates: [first, ...more] }: CandidateGroup): Candidate =>
  more.reduce((best, each) => ((each.result.size?.width ?? 0) > (best.result.size?.width ?? 0) ? each : best), first)

/** CSS pixels: denser candidates show in fewer of them. */
export const cssSizeOf = ({
  variant,
  result,
}: Candidate): { readonly width: number; readonly height: number } | undefined => {
  const density = variant.density ?? 1
  return (
    result.size && { width: Math.round(result.size.width / density), height: Math.round(result.size.height / density) }
  )
}
