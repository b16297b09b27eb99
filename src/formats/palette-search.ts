import type { Raster, StillFormat } from '../core/image.ts'
import { toPixels } from '../raster/raw.ts'
import type { Candidate, Examined, SearchRequest } from './format.ts'
import type { Palette } from './palette/cluster.ts'
import { countColours } from './palette/histogram.ts'
import { lowestPassing } from './palette/lowest-passing.ts'
import { openPalettes, SIZES } from './palette/palettes.ts'
import { type Indexed, show } from './palette/remap.ts'
import { type Mapping, openWorkArea, type WorkArea, wholeArea } from './palette/work-area.ts'

export interface PaletteEncoder {
  readonly format: StillFormat
  /** Bytes that an image takes, about, in little time. */
  readonly estimate: (image: Indexed) => number
  readonly encode: (image: Indexed) => Promise<Uint8Array> | Uint8Array
}

/** One palette and one way to use it. */
interface Choice extends Mapping {
  /** Place in SIZES. */
  readonly place: number
}

/**
 * By how much a pixel may be farther from its neighbour's colour than from the nearest; 1.2 is a step of one in grey. More
 * than eight steps make stairs of antialiased letters.
 */
const TOLERANCES = [0, 1.5, 3, 4.5, 6, 8, 10] as const
/** Palettes so many places above the smallest that passes can be smaller still, as they bear more tolerance. */
const LARGER = [0, 4] as const
/** Places of the largest palettes of 1, 2 and 4 bits: with one size more pixels are no longer packed and deflate better, by up to a tenth. */
const PACKED: readonly number[] = [2, 4, 16].map((size) => (SIZES as readonly number[]).indexOf(size))
/** Images with less than this share of gradients have nothing to diffuse. */
const SOME_GRADIENTS = 0.01
const LAST = SIZES.length - 1
/** The first palette that holds all colours of an image, else the largest: beyond it there is nothing to gain. */
const lastFor = (colours: number): number => {
  const place = SIZES.findIndex((size) => size >= colours)
  return place < 0 ? LAST : place
}
/** Where the bisection over sizes starts: 32 colours. */
const START = 14
/** Places that diffusion may save: it starts so far below the size that passes without. */
const SAVED_BY_DIFFUSION = 3
/** Larger palettes that are tried where what passed on busy blocks does not on the whole. */
const RETRIES = 4

/** ms per megapixel that a search takes at least on a slow core. */
const LEAST_MS = 300
const isTooMuch = ({ pixels, deadline }: SearchRequest): boolean =>
  ((pixels.width * pixels.height) / 1e6) * LEAST_MS > deadline.remaining()

/** What all trials of a search share. */
interface Search {
  readonly paletteAt: (place: number) => Palette
  /** SSIMULACRA 2.1. */
  readonly goal: number
}

/** An image that keeps the promise, as it looks and what was measured of it. */
interface Proven {
  readonly image: Indexed
  readonly shown: Raster
  readonly examined: Examined
}

/** Steps in gradients that are seen at a goal of 70, in the units of the points: three levels of grey. Half as much 15 points above, twice below. */
const VISIBLE_STEP = 4
const visibleStep = (goal: number): number => VISIBLE_STEP * 2 ** ((70 - goal) / 15)

/** Maps an area's pixels to a palette; undefined where that shows bands or breaks a bound. */
const prove = (
  area: WorkArea,
  palette: Palette,
  { goal, ...mapping }: Mapping & { readonly goal: number },
): Proven | undefined => {
  const image = area.map(palette, mapping)
  if (!mapping.diffused && area.isBanded(image, visibleStep(goal))) return undefined
  const shown = show(image, area.pixels.channels)
  const examined = area.examine(shown)
  return examined.keeps ? { image, shown, examined } : undefined
}

/** Tries choices, each once; nothing passes once the deadline is near. */
const openTrials = (request: SearchRequest, area: WorkArea, { paletteAt, goal }: Search) => {
  const known = new Map<string, Proven | undefined>()
  const look = (choice: Choice): Proven | undefined => {
    if (isTooMuch(request) || request.deadline.signal.aborted) {
      request.outOfTime()
      return undefined
    }
    return prove(area, paletteAt(choice.place), { ...choice, goal })
  }
  return (choice: Choice): Proven | undefined => {
    const key = `${choice.place} ${choice.tolerance} ${choice.diffused}`
    if (!known.has(key)) known.set(key, look(choice))
    return known.get(key)
  }
}

type Passes = (choice: Choice) => boolean

/** The most tolerance with which palettes of a size pass; undefined when they pass with none. */
const mostTolerant = (place: number, passes: Passes): Choice | undefined => {
  const most = TOLERANCES.length - 1
  const choiceAt = (less: number): Choice => ({ place, tolerance: TOLERANCES[most - less]!, diffused: false })
  const less = lowestPassing(most, most >> 1, (at) => passes(choiceAt(at)))
  return less === undefined ? undefined : choiceAt(less)
}

/** What passes without diffusion: the smallest palette and one that is larger, each with the most tolerance. */
const choosePlain = (smallest: number, last: number, passes: Passes): readonly Choice[] => {
  const steps = PACKED.includes(smallest) ? [0, 1, ...LARGER.slice(1)] : LARGER
  const places = steps.map((step) => smallest + step).filter((place) => place <= last)
  return places.flatMap((place) => mostTolerant(place, passes) ?? [])
}

/** The smallest palette that passes with errors diffused, where that can be smaller than without. */
const chooseDiffused = (smallest: number | undefined, most: number, passes: Passes): readonly Choice[] => {
  const last = (smallest ?? most + 1) - 1
  if (last < 0) return []
  const choiceAt = (place: number): Choice => ({ place, tolerance: 0, diffused: true })
  const start = smallest === undefined ? Math.min(START, last) : Math.max(0, last - SAVED_BY_DIFFUSION)
  const place = lowestPassing(last, start, (at) => passes(choiceAt(at)))
  return place === undefined ? [] : [choiceAt(place)]
}

/**
 * Searches the smallest palette image that keeps the promise: the fewest colours without and with diffused errors, then the
 * most tolerance towards neighbours' colours; of what passes, that of the fewest estimated bytes is encoded. Large images
 * are searched by their busy blocks. Yields only what keeps the promise as a whole, decoded.
 */
export async function* searchPalette(request: SearchRequest, encoder: PaletteEncoder): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'lossless') return
  if (isTooMuch(request)) return request.outOfTime()
  const histogram = countColours(request.pixels)
  const search = { paletteAt: openPalettes(histogram), goal: request.wanted.goal.score }
  using area = openWorkArea(request, histogram)
  const trial = openTrials(request, area, search)
  const last = lastFor(histogram.counts.length)
  const choices = choose(area, last, (choice) => trial(choice) !== undefined)
  const ranked = choices
    .map((choice) => ({ choice, bytes: encoder.estimate(trial(choice)!.image) }))
    .sort((a, b) => a.bytes - b.bytes)
  const whole = wholeArea(request, histogram)
  for (const { choice } of ranked) {
    const proven = area.isWhole ? trial(choice)! : firstOnWhole(whole, search, choice)
    if (proven === undefined) continue
    const bytes = await encoder.encode(proven.image)
    request.encoded()
    if (bytes.length < request.beat()) yield await verified(request, encoder.format, { bytes, proven })
    return
  }
}

/** What passes on the work area, each kind with as few colours as can be. */
const choose = (area: WorkArea, last: number, passes: Passes): readonly Choice[] => {
  const smallest = lowestPassing(last, Math.min(START, last), (place) =>
    passes({ place, tolerance: 0, diffused: false }),
  )
  return [
    ...(smallest === undefined ? [] : choosePlain(smallest, last, passes)),
    ...(area.smoothShare() < SOME_GRADIENTS ? [] : chooseDiffused(smallest, last, passes)),
  ]
}

/** The image of a choice, or of the next larger palette, that keeps the promise on the whole. */
const firstOnWhole = (whole: WorkArea, { paletteAt, goal }: Search, choice: Choice): Proven | undefined => {
  for (let place = choice.place; place <= Math.min(LAST, choice.place + RETRIES); place += 1) {
    const proven = prove(whole, paletteAt(place), { ...choice, goal })
    if (proven !== undefined) return proven
  }
  return undefined
}

interface Encoded {
  readonly bytes: Uint8Array
  readonly proven: Proven
}

/** Decoded: what shows the same pixels was measured already. */
const verified = async (
  { examine }: SearchRequest,
  format: StillFormat,
  { bytes, proven }: Encoded,
): Promise<Candidate> => {
  const decoded = await toPixels(bytes)
  const { shown } = proven
  const isSame = decoded.channels === shown.channels && Buffer.compare(decoded.data, shown.data) === 0
  return { format, bytes, lossless: false, examined: isSame ? proven.examined : examine(decoded) }
}
