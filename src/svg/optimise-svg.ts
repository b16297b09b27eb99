import { readFile } from 'node:fs/promises'
import type { Deadline } from '../core/deadline.ts'
import { Failure, fail } from '../core/failure.ts'
import type { Extent, Pixels, SourceFacts } from '../core/image.ts'
import { openJudge } from '../metric/judge.ts'
import { drawSvg } from './draw.ts'
import { findDangers } from './find-dangers.ts'
import { CARES, optimiseMarkup } from './optimise-markup.ts'
import { readMarkup } from './read-markup.ts'
import { type Sanitised, sanitiseSvg } from './sanitise.ts'

export interface OptimisedSvg {
  readonly markup: string
  /** SSIMULACRA 2.1 of its drawing against the sanitised source's, the worse of two sizes; absent where nothing was compared. */
  readonly score?: number
  /** Kinds of active content that were taken out; empty when there was none. */
  readonly removed: readonly string[]
  readonly warnings: readonly string[]
  /** With more time it might be smaller. */
  readonly cutShort?: boolean
}

export interface SvgRequest {
  readonly path: string
  readonly facts: SourceFacts
  readonly deadline: Deadline
  /** Called once with the document sanitised only: what there is if time runs out. */
  readonly offer?: (sanitised: OptimisedSvg) => void
  readonly stage?: (name: string, ms: number) => void
}

/** Below this a drawing is not the same (issue's measure): the optimised markup is thrown away. */
const SAME = 95
/** Longest sides in px at which drawings are compared: about the size it says it has, and one that shows bent curves in icons. */
const comparedSides = ({ width, height }: Extent): number[] =>
  // The small one first: it tells sooner whether drawing takes too long.
  [Math.min(2048, Math.max(64, width, height)), 640].toSorted((a, b) => a - b)
/** Drawings that a search may take. */
const MOST_DRAWINGS = 8
/** ms; a document that takes longer to draw once is not compared. */
const SLOW_MS = 2500
/** Optimising is not worth a comparison with less time than this. */
const LEAST_MS = 300

/** Sanitises the text of an SVG; throws when the result does not pass the last look. */
const sanitise = (text: string): Sanitised => {
  const sanitised = sanitiseSvg(text)
  const dangers = findDangers(sanitised.markup)
  if (dangers.length > 0) throw new Error(`Sanitised SVG still holds ${dangers.slice(0, 5).join(', ')}`)
  return sanitised
}

/** Reads and sanitises an SVG or SVGZ file; throws when the result does not pass the last look. */
export const openSvg = async (path: string): Promise<Sanitised> => sanitise(readMarkup(await readFile(path)))

const scaleTo = ({ width, height }: Extent, side: number): Extent => {
  const factor = side / Math.max(width, height)
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}

/** Draws the source once at each size, and judges any number of documents against that. */
const compareDrawings = async (
  source: Sanitised,
  size: Extent,
  deadline: Deadline,
): Promise<(markup: string) => Promise<number>> => {
  const judge = await openJudge()
  const references: Pixels[] = []
  for (const side of comparedSides(size)) {
    const began = performance.now()
    references.push(await drawSvg({ root: source.root, size, output: scaleTo(size, side) }))
    // Some drawings take librsvg seconds: such a one is not drawn again and again, however much time there is.
    const took = performance.now() - began
    if (took > SLOW_MS) throw fail('SVG_TOO_COMPLEX', 'drawing it takes too long')
    if (took * MOST_DRAWINGS > deadline.remaining()) throw fail('WORK_TOO_SLOW')
  }
  return async (markup) => {
    const { root } = sanitiseSvg(markup)
    let worst = 100
    for (const reference of references) {
      const drawn = await drawSvg({ root, size, output: reference })
      using prepared = judge.prepare(reference)
      worst = Math.min(worst, prepared.compare(drawn))
    }
    return worst
  }
}

const searchSmallest = async (
  sanitised: Sanitised,
  size: Extent,
  deadline: Deadline,
): Promise<{ markup: string; score?: number }> => {
  let compare: ((markup: string) => Promise<number>) | undefined
  for (const care of CARES) {
    if (deadline.remaining() < LEAST_MS) throw fail('WORK_TOO_SLOW')
    const markup = optimiseMarkup(sanitised.markup, sanitised.root, care)
    if (markup.length >= sanitised.markup.length || findDangers(markup).length > 0) continue
    compare ??= await compareDrawings(sanitised, size, deadline)
    const score = await compare(markup)
    if (score >= SAME) return { markup, score }
  }
  return { markup: sanitised.markup }
}

/** What editors leave in every file: it goes, like other metadata, without a word. */
const UNREMARKABLE = new Set(['doctype', 'foreign content', 'processing instruction'])

const said = ({ removed }: Sanitised): readonly string[] => removed.filter((what) => !UNREMARKABLE.has(what))

const say = (sanitised: Sanitised, { gzipped }: SourceFacts): string[] => [
  ...(said(sanitised).length === 0 ? [] : [`Removed from the SVG: ${said(sanitised).join(', ')}.`]),
  ...(gzipped === true ? ['The SVGZ source is returned as plain SVG: compress it in transit.'] : []),
]

/** §3.4: where nothing was gained, and nothing had to be taken out, the source's own text is as good. */
const notLarger = (source: string, found: string): string =>
  found.length >= source.length && findDangers(source).length === 0 ? source : found

/**
 * Sanitised and optimised markup of an SVG file (§4.4) that draws the same, or sanitised markup alone.
 * Fails with SVG_TOO_COMPLEX, SOURCE_DAMAGED or SOURCE_TOO_HEAVY.
 */
export const optimiseSvg = async ({ path, facts, deadline, offer, stage }: SvgRequest): Promise<OptimisedSvg> => {
  const began = performance.now()
  const source = readMarkup(await readFile(path))
  const sanitised = sanitise(source)
  const { removed } = sanitised
  const warnings = say(sanitised, facts)
  stage?.('sanitise', performance.now() - began)
  const plain: OptimisedSvg = { markup: notLarger(source, sanitised.markup), removed, warnings }
  offer?.(plain)
  const searched = performance.now()
  try {
    const found = await searchSmallest(sanitised, facts, deadline)
    return found.score === undefined ? plain : { ...found, removed, warnings }
  } catch (error) {
    // svgo or librsvg gave up on it: what was sanitised is still right.
    const hurried = error instanceof Failure && error.code === 'WORK_TOO_SLOW'
    return hurried ? { ...plain, cutShort: true } : plain
  } finally {
    stage?.('optimise', performance.now() - searched)
  }
}
