import { readFile } from 'node:fs/promises'
import type { Deadline } from '../core/deadline.ts'
import { Failure, fail } from '../core/failure.ts'
import type { Extent, Raster, SourceFacts } from '../core/image.ts'
import { MIN_STEP_MS } from '../core/intervals.ts'
import { openSsimulacra2 } from '../metric/ssimulacra2/ssimulacra2.ts'
import { drawSvg } from './draw.ts'
import { findDangers } from './find-dangers.ts'
import { CARES, runSvgo } from './optimise-markup.ts'
import { readMarkup } from './read-markup.ts'
import { type Sanitised, sanitiseSvg } from './sanitise.ts'
import type { Element } from './tree.ts'

export interface OptimisedSvg {
  readonly markup: string
  /** SSIMULACRA 2.1 of its drawing against the sanitised source's: the lower of two sizes. Absent without a comparison. */
  readonly score?: number
  /** Kinds of removed active content. */
  readonly removed: readonly string[]
  readonly warnings: readonly string[]
  /** With more time the result may be smaller. */
  readonly cutShort?: boolean
}

export interface SvgRequest {
  readonly path: string
  readonly facts: SourceFacts
  readonly deadline: Deadline
  /** Called once with the sanitised document, which is the result if time runs out. */
  readonly offer?: (sanitised: OptimisedSvg) => void
  readonly stage?: (name: string, ms: number) => void
}

/** The score below which drawings differ and the optimised markup is rejected. */
const MIN_SAME_SCORE = 95
/** Longest sides in px for comparing drawings: about the document's own size, and one that reveals changed curves in icons. */
const comparedSides = ({ width, height }: Extent): number[] =>
  // The small one first, to find out early whether drawing takes too long.
  [Math.min(2048, Math.max(64, width, height)), 640].toSorted((a, b) => a - b)
/** Maximum drawings of a search. */
const MAX_DRAWINGS = 8
/** ms for one drawing, above which documents are not compared. */
const MAX_DRAWING_MS = 2500

/** Sanitises the text of an SVG. Throws when the result fails the final check. */
const sanitise = (text: string): Sanitised => {
  const sanitised = sanitiseSvg(text)
  const dangers = findDangers(sanitised.markup)
  if (dangers.length > 0) throw new Error(`Sanitised SVG still holds ${dangers.slice(0, 5).join(', ')}`)
  return sanitised
}

/** Sanitises and prints svgo's output again. undefined when anything had to be removed from it. */
const reprint = (optimised: string): Sanitised | undefined => {
  const again = sanitise(optimised)
  return again.removed.length === 0 ? again : undefined
}

/** Reads and sanitises an SVG or SVGZ file. Throws when the result fails the final check. */
export const openSvg = async (path: string): Promise<Sanitised> => sanitise(readMarkup(await readFile(path)))

const scaleTo = ({ width, height }: Extent, side: number): Extent => {
  const factor = side / Math.max(width, height)
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}

/** Draws the source at each size, and returns a function that scores documents against it. */
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
    // Some drawings take librsvg seconds. They are not drawn again, however much time is left.
    const took = performance.now() - began
    if (took > MAX_DRAWING_MS) throw fail('SVG_TOO_COMPLEX', 'drawing it takes too long')
    if (took * MAX_DRAWINGS > deadline.remaining()) throw fail('WORK_TOO_SLOW')
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
    if (deadline.remaining() < MIN_STEP_MS) throw fail('WORK_TOO_SLOW')
    const found = reprint(runSvgo(sanitised.markup, sanitised.root, care))
    if (found === undefined || found.markup.length >= sanitised.markup.length) continue
    compare ??= await compareDrawings(sanitised, size, deadline)
    const score = await compare(found.root)
    if (score >= MIN_SAME_SCORE) return { markup: found.markup, score }
  }
  return { markup: sanitised.markup }
}

/** Content that editors leave in every file. It is removed without a Warning, like other metadata. */
const SILENTLY_REMOVED = new Set(['doctype', 'foreign content', 'processing instruction'])

const reportedRemovals = ({ removed }: Sanitised): readonly string[] =>
  removed.filter((what) => !SILENTLY_REMOVED.has(what))

const RETYPED = 'HTML text inside the SVG (foreignObject) became SVG text, placed by its inline styles.'

/** Removed content that runs but is invisible. */
const INVISIBLE = new Set([...SILENTLY_REMOVED, 'script', 'event handler'])

/** Whether a drawing lacks visible content of its source, or shows it in another form. */
export const losesContent = ({ removed, retyped }: Sanitised): boolean =>
  retyped || removed.some((what) => !INVISIBLE.has(what))

/** Warnings about removed or changed content. */
export const lossesOf = (sanitised: Sanitised): readonly string[] => [
  ...(reportedRemovals(sanitised).length === 0
    ? []
    : [`Removed from the SVG: ${reportedRemovals(sanitised).join(', ')}.`]),
  ...(sanitised.retyped ? [RETYPED] : []),
]

const say = (sanitised: Sanitised, { gzipped }: SourceFacts): string[] => [
  ...lossesOf(sanitised),
  ...(gzipped === true ? ['The SVGZ source is returned as plain SVG: compress it in transit.'] : []),
]

/** §3.4: expanded entities and other encodings can make the markup longer. The source's own text is never returned. */
const growth = (markup: string, { gzipped, bytes: source }: SourceFacts): string[] => {
  const bytes = Buffer.byteLength(markup)
  return gzipped === true || bytes <= source
    ? []
    : [`The SVG grew from ${source} to ${bytes} bytes: it is written again in UTF-8, with expanded entities.`]
}

/**
 * Sanitises an SVG file and optimises its markup (§4.4). Returns the optimised markup if it draws the same, otherwise the sanitised one.
 * Both are printed from the sanitised tree without declaration, comments and document type. The source's own text is never returned,
 * since browsers may decode or parse it differently. Fails with SVG_TOO_COMPLEX, SOURCE_DAMAGED or SOURCE_TOO_HEAVY.
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
    // Without the removed content, a score would be meaningless.
    const scored = score === undefined || losesContent(sanitised) ? {} : { score }
    return { ...finish(markup), ...scored }
  } catch (error) {
    // svgo or librsvg failed. The sanitised markup is still valid.
    const timeLimited = error instanceof Failure && error.code === 'WORK_TOO_SLOW'
    return timeLimited ? { ...plain, cutShort: true } : plain
  } finally {
    stage?.('optimise', performance.now() - searched)
  }
}
