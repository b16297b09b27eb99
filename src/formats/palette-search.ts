import type { Raster, StillFormat } from '../core/image.ts'
import { isPhotograph } from '../plan/shortlist.ts'
import { expectedMs, lacksTimeFor } from '../search/budget.ts'
import { openTrialTimer } from '../search/trial-timer.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { lazily } from '../support/lazily.ts'
import type { Estimate, SearchRequest, Step } from './format.ts'
import { lowestIndex, WHOLE_IMAGE_LIMITS } from './lowest-index.ts'
import { countColours, type Histogram } from './palette/histogram.ts'
import { openPalettes, type Palettes, SIZES } from './palette/palettes.ts'
import { type Indexed, show } from './palette/remap.ts'
import { findSmoothAreas } from './palette/smooth-areas.ts'
import { type Mapping, openWorkArea, type WorkArea, wholeArea } from './palette/work-area.ts'
import { isSampled } from './sample/sample.ts'
import { type Proven, smaller } from './verified.ts'

export interface PaletteEncoder {
  readonly format: StillFormat
  /** Bytes that an image takes, about, in little time. */
  readonly estimate: (image: Indexed) => number
  /** A slower, more exact estimate, given the first; the first when absent. */
  readonly expect?: (image: Indexed, estimate: number) => number
  /** The least share of its estimate that a file takes: palettes that exceed the best file by more are not tried. Absent where it is not known. */
  readonly minShare?: number
  readonly encode: (image: Indexed) => Promise<Uint8Array> | Uint8Array
  /** A fast encode, which comes first where time is short. */
  readonly draft?: (image: Indexed) => Uint8Array
}

/** One palette and one way to use it. */
interface Choice extends Mapping {
  /** Place in SIZES. */
  readonly place: number
}

/**
 * By how much a pixel may be farther from what repeats than from the nearest; 1.2 is a step of one in grey. More
 * than eight steps make stairs of antialiased letters.
 */
const TOLERANCES = [0, 1.5, 3, 4.5, 6, 8, 10] as const
const LAST_TOLERANCE = TOLERANCES.length - 1
/** Sizes above the smallest passing one that are tried: a palette of up to twice the colours allows more tolerance and can need fewer bytes. */
const REACH = 10
/** Pixels up to which each of these sizes is tried, and the stride for larger images. */
const TRIED = { allUpTo: 1e5, stride: 5 } as const
/** Images with less than this share of gradients have nothing to diffuse. */
const SOME_GRADIENTS = 0.01
const LAST = SIZES.length - 1
/** The first palette that holds all colours of an image, else the largest: beyond it there is nothing to gain. */
export const lastFor = (colours: number): number => {
  const place = SIZES.findIndex((size) => size >= colours)
  return place < 0 ? LAST : place
}
/** Where the search over sizes starts; photographs need 90 to 130 colours. */
export const START = (SIZES as readonly number[]).indexOf(32)
const START_OF_LARGE = (SIZES as readonly number[]).indexOf(104)
/** Places that diffusion may save: it starts so far below the size that passes without. */
const SAVED_BY_DIFFUSION = 6

/** An image's colours and their palettes. */
export interface ImagePalettes extends Palettes {
  readonly histogram: Histogram
  /** For each pixel 1 where the image is a gradient. */
  readonly smooth: () => Uint8Array
}

/** Counts an image's colours and opens their palettes. */
export const openImagePalettes = (pixels: Raster): ImagePalettes => {
  const histogram = countColours(pixels)
  const palettes = lazily(() => openPalettes(histogram))
  return { histogram, smooth: lazily(() => findSmoothAreas(pixels)), at: (place) => palettes().at(place) }
}

/** Whether an image has more colours than 16,384: it needs about as many as photographs do, and palettes often break a bound. */
export const isColourful = ({ histogram }: Pick<ImagePalettes, 'histogram'>): boolean =>
  histogram.counts.length > 2 ** 14

/** Whether palettes of an image need about 100 colours: a photograph, or an image of many colours. */
export const needsLargePalette = (
  { features, pixels }: Pick<SearchRequest, 'features' | 'pixels'>,
  palettes: Pick<ImagePalettes, 'histogram'>,
): boolean => isPhotograph(features, pixels) || isColourful(palettes)

/** Frees what the search took of an image of many megapixels: two bytes a pixel, and four of each trial. */
const freeMemory = ({ pixels }: SearchRequest): void => {
  if (isSampled(pixels)) collectGarbage()
}

/** Shared by all trials of a search. */
interface Search {
  readonly paletteAt: Palettes['at']
  /** SSIMULACRA 2.1. */
  readonly goal: number
  readonly estimate: PaletteEncoder['estimate']
}

/** A palette image that keeps the promise. */
type ProvenPalette = Proven<Indexed>

/** Steps in gradients that are seen at a goal of 70, in the units of the points: three levels of grey. Half as much 15 points above, twice below. */
const VISIBLE_STEP = 4
/** Chroma by which a tile of 4 px is seen to have another hue, likewise: lines that turned grey were off by 20, what looked alike by at most 13 in a few tiles. */
const VISIBLE_HUE = 12
/** Distance by which a rim or a stroke visibly changes at a goal of 70, in the units of the points: 33 levels of grey. Calibrated by eye on charts and icons. */
const VISIBLE_THIN = 40
const atGoal = (visible: number, goal: number): number => visible * 2 ** ((70 - goal) / 15)

/** Result of a choice. */
interface Tried {
  /** Where it passes. */
  readonly proven?: ProvenPalette
  /** Points above the goal, below 0 for a failure; absent when only bands or hues failed. */
  readonly above?: number
}

/** How an image is proven. `outlineLast`: a whole image, where outlines take longest, has them checked after every bound. */
interface Proof extends Pick<Search, 'goal'> {
  readonly diffused: boolean
  readonly outlineLast?: boolean
}

/** Whether an image that an area's pixels were mapped to shows no bands, keeps its hues, its outlines and every bound. */
export const prove = (area: WorkArea, image: Indexed, { diffused, goal, outlineLast = false }: Proof): Tried => {
  if (!diffused && area.isBanded(image, atGoal(VISIBLE_STEP, goal))) return {}
  const losesOutline = (): boolean => area.breaksThin(image, atGoal(VISIBLE_THIN, goal))
  if (area.losesColours(image, atGoal(VISIBLE_HUE, goal)) || (!outlineLast && losesOutline())) return {}
  const shown = show(image, area.pixels.channels)
  // Butteraugli takes longer than all else: what fails by another measure is not asked.
  const margin = area.ssimulacra2(shown) - goal
  if (margin < 0) return { above: margin }
  const examined = area.examine(shown)
  const above = examined.effective - goal
  if (!examined.keeps) return { above }
  return outlineLast && losesOutline() ? {} : { proven: { shown: image, examined }, above }
}

/** Choices of one area and what came of them, each looked at once. */
interface Trials {
  readonly bytesOf: (choice: Choice) => number
  readonly at: (choice: Choice) => Tried
}

/** Half of a long trial is expected of the next one. */
const PACE = { factor: 1, memory: 0.5 }

/** Nothing passes, and nothing is made, once less time is left than a trial takes and what follows the trials: the whole is measured and stored. */
const openTrials = (request: SearchRequest, area: WorkArea, search: Search): Trials => {
  const { pixels } = request
  const kept = expectedMs('png-indexed-fast', pixels) + (area.isWhole ? 0 : expectedMs('palette-search', pixels))
  const timed = openTrialTimer(request, { ...PACE, reserve: kept })
  const trialOf = (choice: Choice) => {
    const image = lazily(() => area.map(search.paletteAt(choice.place), choice))
    return {
      bytes: lazily(() => timed(() => search.estimate(image()), Number.POSITIVE_INFINITY)),
      tried: lazily((): Tried => timed(() => prove(area, image(), { ...search, diffused: choice.diffused }), {})),
    }
  }
  const known = new Map<string, ReturnType<typeof trialOf>>()
  const knownAt = (choice: Choice) => {
    const key = `${choice.place} ${choice.tolerance} ${choice.diffused}`
    const trial = known.get(key) ?? trialOf(choice)
    known.set(key, trial)
    return trial
  }
  return { bytesOf: (choice) => knownAt(choice).bytes(), at: (choice) => knownAt(choice).tried() }
}

/** One kind of choices, looked at from the place `start` on. */
interface Kind {
  readonly diffused: boolean
  readonly start: number
  /** Place of the largest palette. */
  readonly last: number
  /** Places between the larger palettes that are looked at. */
  readonly stride: number
  /** Bytes of the best choice of another kind. */
  readonly bestBytes: number
}

/** Tolerance saves a tenth at most of what a palette takes without. */
const SAVED_BY_TOLERANCE = 0.1

/** The smallest palette that passes without tolerance; undefined when none passes that may need fewer than `bestBytes`. */
const fewestColours = ({ at, bytesOf }: Trials, { last, start, diffused, bestBytes }: Kind): number | undefined => {
  const choiceAt = (place: number): Choice => ({ place, tolerance: 0, diffused })
  // Without time for an estimate a place fails, and a palette that has passed already stays the smallest.
  const isTooLarge = (place: number): boolean => {
    const bytes = bytesOf(choiceAt(place))
    return Number.isFinite(bytes) && bytes * (1 - SAVED_BY_TOLERANCE) >= bestBytes
  }
  const found = lowestIndex({ first: 0, last, start: Math.min(last, start) }, (place): Tried | { proven: true } =>
    isTooLarge(place) ? { proven: true } : at(choiceAt(place)),
  )
  return found === undefined || isTooLarge(found.index) ? undefined : found.index
}

/** The most tolerance with which a palette passes, as a place in TOLERANCES; it passes with that of `least`. */
const mostTolerant = ({ at }: Trials, { place, diffused }: Omit<Choice, 'tolerance'>, least: number): number => {
  const last = LAST_TOLERANCE - least
  const less = lowestIndex({ first: 0, last, start: last >> 1 }, (index) => ({
    proven: index === last ? true : at({ place, tolerance: TOLERANCES[LAST_TOLERANCE - index]!, diffused }).proven,
  }))
  return LAST_TOLERANCE - less!.index
}

/**
 * The choice of fewest bytes of a kind, and the smallest palette of that kind that passes: larger ones allow more tolerance, so
 * only what is smaller than the best so far is looked at.
 */
const fewestBytes = (
  trials: Trials,
  kind: Kind,
): { readonly choice: Choice; readonly smallest: number } | undefined => {
  const { last, stride, diffused } = kind
  const smallest = fewestColours(trials, kind)
  if (smallest === undefined) return undefined
  let choice: Choice = { place: smallest, tolerance: 0, diffused }
  let tolerated = 0
  for (let place = smallest; place <= Math.min(last, smallest + REACH) && tolerated < LAST_TOLERANCE; place += stride) {
    const choiceAt = (tolerance: number): Choice => ({ place, tolerance: TOLERANCES[tolerance]!, diffused })
    if (trials.bytesOf(choiceAt(LAST_TOLERANCE)) >= trials.bytesOf(choice)) break
    tolerated = mostTolerant(trials, { place, diffused }, tolerated)
    if (trials.bytesOf(choiceAt(tolerated)) < trials.bytesOf(choice)) choice = choiceAt(tolerated)
  }
  return { choice, smallest }
}

/**
 * Searches the smallest palette image that keeps the promise: the fewest colours without and with diffused errors, then the
 * most tolerance towards neighbours' colours; of what passes, that of the fewest estimated bytes is encoded. Large images
 * are searched by their busy blocks, and yield an estimate before the whole is measured. Candidates keep the promise as a whole, decoded.
 */
export async function* searchPalette(
  request: SearchRequest,
  encoder: PaletteEncoder,
  open: () => ImagePalettes = () => openImagePalettes(request.pixels),
): AsyncGenerator<Step> {
  const proven = yield* smallestPalette(request, encoder, open)
  if (proven === undefined) return
  freeMemory(request)
  const draft = encoder.draft?.(proven.shown)
  if (draft !== undefined) yield* smaller(request, encoder.format, { bytes: draft, ...proven })
  const bytes = await encoder.encode(proven.shown)
  request.encoded()
  yield* smaller(request, encoder.format, { bytes, ...proven })
}

/** The whole image as a work area. Its colours take two bytes a pixel: they can be forgotten, and are counted again when they are needed. */
interface Whole {
  readonly area: () => WorkArea
  readonly forget: () => void
}

const openWhole = (request: SearchRequest, histogram: Histogram, smooth?: () => Uint8Array): Whole => {
  let held: WorkArea | undefined = wholeArea(request, histogram, smooth)
  const area = (): WorkArea => {
    held ??= wholeArea(request, countColours(request.pixels))
    return held
  }
  const forget = (): void => {
    held = undefined
  }
  return { area, forget }
}

/** The areas that a search works on, and the places where it starts and of the largest palette. Nothing else holds the histogram. */
const openAreas = (request: SearchRequest, { histogram, smooth, at }: ImagePalettes) => ({
  area: openWorkArea(request, histogram, smooth),
  // Gradients of an image of many megapixels are found again rather than held.
  whole: openWhole(request, histogram, isSampled(request.pixels) ? undefined : smooth),
  start: needsLargePalette(request, { histogram }) ? START_OF_LARGE : START,
  last: lastFor(histogram.counts.length),
  paletteAt: at,
})

/** The palette image of the fewest estimated bytes that keeps the promise on the whole. */
function* smallestPalette(
  request: SearchRequest,
  encoder: PaletteEncoder,
  open: () => ImagePalettes,
): Generator<Estimate, ProvenPalette | undefined> {
  if (request.wanted.kind === 'lossless') return undefined
  if (lacksTimeFor(request, expectedMs('palette-search', request.pixels))) return undefined
  const { paletteAt, start, last, whole, ...areas } = openAreas(request, open())
  using area = areas.area
  const search = { paletteAt, goal: request.wanted.goal.score, estimate: encoder.estimate }
  const trials = openTrials(request, area, search)
  const bestBytes = encoder.minShare === undefined ? Number.POSITIVE_INFINITY : request.bytesToBeat() / encoder.minShare
  const ranked = choose(area, { last, start: Math.min(start, last), bestBytes }, trials).toSorted(
    (a, b) => trials.bytesOf(a) - trials.bytesOf(b),
  )
  freeMemory(request)
  for (const choice of ranked) {
    const proven = area.isWhole
      ? trials.at(choice).proven
      : yield* firstOnWhole(choice, { whole, search, encoder, request })
    if (proven !== undefined) return proven
  }
  return undefined
}

/** Choices that pass on the work area: the smallest with and without diffusion. The second must be smaller than the first. */
const choose = (
  area: WorkArea,
  { last, start, bestBytes }: Pick<Kind, 'last' | 'start' | 'bestBytes'>,
  trials: Trials,
): readonly Choice[] => {
  const stride = area.pixels.width * area.pixels.height <= TRIED.allUpTo ? 1 : TRIED.stride
  const any = { last, stride, start, bestBytes }
  if (area.smoothShare() < SOME_GRADIENTS)
    return [fewestBytes(trials, { ...any, diffused: false })].flatMap((found) => found?.choice ?? [])
  // Where bands are seen at once, few colours pass without diffusion or none.
  const { proven, above } = trials.at({ place: start, tolerance: 0, diffused: false })
  const diffusedFirst = proven === undefined && above === undefined
  const first = fewestBytes(trials, { ...any, diffused: diffusedFirst })
  const diffused = !diffusedFirst
  const expected = (first?.smallest ?? start) + (diffused ? -SAVED_BY_DIFFUSION : SAVED_BY_DIFFUSION)
  const smallest = first === undefined ? bestBytes : trials.bytesOf(first.choice)
  const second = fewestBytes(trials, { ...any, diffused, start: Math.max(0, expected), bestBytes: smallest })
  return [first, second].flatMap((found) => found?.choice ?? [])
}

/** Arguments of the search of a whole large image. */
interface WholeSearch {
  readonly whole: Whole
  readonly search: Search
  readonly encoder: PaletteEncoder
  readonly request: SearchRequest
}

/** Bytes that an image is expected to take, and their share of its estimate. */
const expectedOf = (image: Indexed, { estimate, expect }: PaletteEncoder) => {
  const estimated = estimate(image)
  const bytes = expect?.(image, estimated) ?? estimated
  return { bytes, share: bytes / estimated }
}

/**
 * The image of a choice, or of a larger palette, that keeps the promise on the whole. Where other formats wait, it yields its expected
 * bytes first; palettes that are then expected to take more than the best file are not measured.
 */
function* firstOnWhole(
  choice: Choice,
  { whole, search, encoder, request }: WholeSearch,
): Generator<Estimate, ProvenPalette | undefined> {
  const mapAt = (place: number): Indexed => whole.area().map(search.paletteAt(place), choice)
  const expected = request.alone ? undefined : expectedOf(mapAt(choice.place), encoder)
  if (expected !== undefined) {
    // Another format's whole needs the memory meanwhile.
    whole.forget()
    yield { kind: 'estimate', bytes: expected.bytes }
  }
  const isBelow = (image: Indexed, place: number): boolean => {
    if (expected === undefined) return true
    const bytes = place === choice.place ? expected.bytes : encoder.estimate(image) * expected.share
    return bytes < request.bytesToBeat()
  }
  let canWin = true
  // An earlier palette is stored harder where no whole passes in time.
  const timed = openTrialTimer(request, { ...PACE, reserve: expectedMs('png-indexed-fast', request.pixels) })
  const range = { first: choice.place, last: LAST, start: choice.place, limits: WHOLE_IMAGE_LIMITS }
  const tryAt = (place: number): Tried => {
    freeMemory(request)
    const image = mapAt(place)
    canWin = isBelow(image, place)
    return canWin ? prove(whole.area(), image, { ...search, diffused: choice.diffused }) : {}
  }
  return lowestIndex(range, (place): Tried => (canWin ? timed(() => tryAt(place), {}) : {}))?.outcome.proven
}
