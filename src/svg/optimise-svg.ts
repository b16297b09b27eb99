import { readFile } from 'node:fs/promises'
import type { Deadline } from '../core/deadline.ts'
import { Failure, fail } from '../core/failure.ts'
import type { Extent, Raster, SourceFacts } from '../core/image.ts'
import { openSsimulacra2 } from '../metric/ssimulacra2/ssimulacra2.ts'
import { drawSvg } from './draw.ts'
import { findDangers } from './find-dangers.ts'
import { CARES, runSvgo } from './optimise-markup.ts'
import { readMarkup } from './read-markup.ts'
import { type Sanitised, sanitiseSvg } from './sanitise.ts'
import type { Element } from './tree.ts'

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

/** What the optimiser made, sanitised and printed by us again; undefined when anything had to be taken out of it. */
const reprint = (optimised: string): Sanitised | undefined => {
  const again = sanitise(optimised)
  return again.removed.length === 0 ? again : undefined
}

/** Reads and sanitises an SVG or SVGZ file; throws when the result does not pass the last look. */
export const openSvg = async (path: string): Promise<Sanitised> => sanitise(readMarkup(await readFile(path)))

const scaleTo = ({ width, height }: Extent, side: number): Extent => {
  const factor = side / Math.max(width, height)
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}

/** Draws the source once at each size, and scores any number of documents against that. */
const compareDrawings = async (
  source: Sanitised,
  size: Extent,
  deadline: Deadline,
): Promise<(root: Element) => Promise<number>> => {
  const metric = await openSsimulacra2()
  const references: Raster[] = []
  for (const side of comparedSides(size)) {
    const began = performance.now()
    references.push(await drawSvg({ root: source.root, size, output: scaleTo(size, side) }))
    // Some drawings take librsvg seconds: such a one is not drawn again and again, however much time there is.
    const took = performance.now() - began
    if (took > SLOW_MS) throw fail('SVG_TOO_COMPLEX', 'drawing it takes too long')
    if (took * MOST_DRAWINGS > deadline.remaining()) throw fail('WORK_TOO_SLOW')
  }
  return async (root) => {
    let worst = 100
    for (const reference of references) {
      const drawn = await drawSvg({ root, size, output: reference })
      using prepared = metric.prepare(reference)
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
  let compare: ((root: Element) => Promise<number>) | undefined
  for (const care of CARES) {
    if (deadline.remaining() < LEAST_MS) throw fail('WORK_TOO_SLOW')
    const found = reprint(runSvgo(sanitised.markup, sanitised.root, care))
    if (found === undefined || found.markup.length >= sanitised.markup.length) continue
    compare ??= await compareDrawings(sanitised, size, deadline)
    const score = await compare(found.root)
    if (score >= SAME) return { markup: found.markup, score }
  }
  return { markup: sanitised.markup }
}

/** What editors leave in every file: it goes, like other metadata, without a word. */
const NOT_WORTH_TELLING = new Set(['doctype', 'foreign content', 'processing instruction'])

const said = ({ removed }: Sanitised): readonly string[] => removed.filter((what) => !NOT_WORTH_TELLING.has(what))

const RETYPED = 'HTML text inside the SVG (foreignObject) became SVG text, placed as nearly as its inline styles tell.'

/** What runs but does not show. */
const UNSEEN = new Set([...NOT_WORTH_TELLING, 'script', 'event handler'])

/** Whether a drawing of what is left lacks something that the source showed, or has it in another shape. */
export const losesContent = ({ removed, retyped }: Sanitised): boolean =>
  retyped || removed.some((what) => !UNSEEN.has(what))

/** What is to be said of what is not as it was in the source. */
export const lossesOf = (sanitised: Sanitised): readonly string[] => [
  ...(said(sanitised).length === 0 ? [] : [`Removed from the SVG: ${said(sanitised).join(', ')}.`]),
  ...(sanitised.retyped ? [RETYPED] : []),
]

const say = (sanitised: Sanitised, { gzipped }: SourceFacts): string[] => [
  ...lossesOf(sanitised),
  ...(gzipped === true ? ['The SVGZ source is returned as plain SVG: compress it in transit.'] : []),
]

/** §3.4: entities written out and other encodings can make it longer, and the source's own text is never returned. */
const growth = (markup: string, { gzipped, bytes: source }: SourceFacts): string[] => {
  const bytes = Buffer.byteLength(markup)
  return gzipped === true || bytes <= source
    ? []
    : [`The SVG grew from ${source} to ${bytes} bytes: it is written anew, in UTF-8 and with its entities put in.`]
}

/**
 * Sanitised and optimised markup of an SVG file (§4.4) that draws the same, or sanitised markup alone. Either way it is
 * printed from the sanitised tree, without declaration, comments and document type: the source's own text, which browsers
 * may decode or parse in another way than we do, never comes out.
 * Fails with SVG_TOO_COMPLEX, SOURCE_DAMAGED or SOURCE_TOO_HEAVY.
 */
export const optimiseSvg = async ({ path, facts, deadline, offer, stage }: SvgRequest): Promise<OptimisedSvg> => {
  const began = performance.now()
  const sanitised = await openSvg(path)
  const finish = (markup: string): OptimisedSvg => ({
    markup,
    removed: sanitised.removed,
    warnings: [...say(sanitised, facts), ...growth(markup, facts)],
  })
  stage?.('sanitise', performance.now() - began)
  const plain = finish(sanitised.markup)
  offer?.(plain)
  const searched = performance.now()
  try {
    const { markup, score } = await searchSmallest(sanitised, facts, deadline)
    // A score against the drawing without what it has lost would tell nothing.
    const scored = score === undefined || losesContent(sanitised) ? {} : { score }
    return { ...finish(markup), ...scored }
  } catch (error) {
    // svgo or librsvg gave up on it: what was sanitised is still right.
    const timeLimited = error instanceof Failure && error.code === 'WORK_TOO_SLOW'
    return timeLimited ? { ...plain, cutShort: true } : plain
  } finally {
    stage?.('optimise', performance.now() - searched)
  }
}
