import { basename } from 'node:path'
import type { Box, Raster, StillFormat } from '../../src/core/image.ts'
import type { MetricReference, PerceptualMetrics, Scores } from '../../src/metric/metrics.ts'
import {
  type BoundName,
  brokenBounds,
  countedContour,
  countedDistance,
  countedScore,
  type PromisedScores,
} from '../../src/plan/promise.ts'
import { type Bounds, boundsFor, type LossyPreset } from '../../src/plan/targets.ts'
import { ask } from '../corpus/ask.ts'
import { makeOurs } from '../corpus/ours.ts'
import { type EyeLadder, type EyeRung, openEyeLadder, type Rising } from './ladder.ts'
import type { EyePeer } from './peers.ts'
import { psnrHvs } from './psnr-hvs.ts'
import type { Referee } from './referees/referees.ts'
import { type BadPlace, cutPiece } from './sheets.ts'
import { shownPixels } from './shown-pixels.ts'

/** Every figure of a result, as numbers. */
export interface Figures {
  readonly bytes: number
  readonly ssimulacra: number
  readonly worstTileSsimulacra: number
  readonly butteraugli3: number
  readonly butteraugliMax: number
  readonly worstTileButteraugli: number
  readonly tileColour: number
  readonly contour: number
  /** Bounds of the preset that it does not keep. */
  readonly broken: readonly BoundName[]
}

/** A peer on one image: at its own setting, or our bytes in terms of its own at equal quality. */
export interface PeerRow {
  readonly name: string
  readonly figures?: Figures
  readonly atEqualSsimulacra?: number
  readonly atEqualButteraugli?: number
  /** Our bytes in terms of its own where it has our figure of a referee, by the referee's name; NaN beyond its settings. */
  readonly atEqualReferees?: Readonly<Record<string, number>>
  /** Ours less the peer's at our bytes, dB. */
  readonly psnrHvs?: number
  /** Bounds that it breaks where its SSIMULACRA is first at least ours. */
  readonly brokenAtEqualSsimulacra?: readonly BoundName[]
  /** CPU of one encode in ms: the median of those that the comparison needed. */
  readonly cpu: number
  /** The lowest quality from which the preset's score and 3-norm are both kept; of peers that take a quality. */
  readonly needs?: number
}

/** One image: ours and all peers. */
export interface EyeRow {
  readonly file: string
  readonly path: string
  readonly format: string
  /** Bytes of the source. */
  readonly source: number
  readonly megapixels: number
  readonly ours: Figures
  /** CPU of ours in ms, decoding apart. */
  readonly cpu: number
  readonly warned: boolean
  readonly peers: readonly PeerRow[]
  readonly places: Readonly<Record<Measure, BadPlace>>
}

/** Kinds of bad areas. */
export const MEASURES = ['ssimulacra', 'butteraugli', 'tileColour', 'contour'] as const
export type Measure = (typeof MEASURES)[number]

/** The place of an image that comes nearest to its bound, or exceeds it most. */
export const worstPlace = ({ places }: Pick<EyeRow, 'places'>): BadPlace =>
  MEASURES.map((measure) => places[measure]).toSorted((one, other) => other.ofBound - one.ofBound)[0]!

/** How an image is compared. */
export interface Wanted {
  readonly options: string
  readonly quality: LossyPreset
  readonly peers: readonly EyePeer[]
  readonly 'psnr-hvs': boolean
  readonly referees: readonly Referee[]
}

/** Scores as they count in the verdict. */
const counted = (scores: Scores, format: StillFormat = 'png'): PromisedScores => ({
  ssimulacra: countedScore(scores.ssimulacra, scores.worstTileSsimulacra),
  butteraugli3: countedDistance(scores.butteraugli3, scores.worstTileButteraugli),
  tileColour: scores.tileColour,
  contour: countedContour(scores, format),
})

/** The figures of a result, and the bounds of the preset that they break. */
export const figuresOf = (
  { bytes, format }: { readonly bytes: number; readonly format?: StillFormat },
  scores: Scores,
  quality: LossyPreset,
): Figures => ({
  bytes,
  ssimulacra: scores.ssimulacra,
  worstTileSsimulacra: scores.worstTileSsimulacra,
  butteraugli3: scores.butteraugli3,
  butteraugliMax: scores.butteraugliMax,
  worstTileButteraugli: scores.worstTileButteraugli,
  tileColour: scores.tileColour,
  contour: scores.contour,
  broken: [...brokenBounds(counted(scores, format), boundsFor(quality, 1))],
})

const logBytes = ({ bytes }: EyeRung): number => Math.log(bytes)
const ssimulacra = ({ scores }: EyeRung): number => scores.ssimulacra
const nearness = ({ scores }: EyeRung): number => -scores.butteraugli3

/** At least 0 where both metrics keep the preset's bounds, in the worst parts too; grows with quality. */
const keeping = (quality: LossyPreset): Rising => {
  const bounds = boundsFor(quality, 1)
  return ({ scores }) => {
    const { ssimulacra, butteraugli3 } = counted(scores)
    return Math.min(ssimulacra / bounds.ssimulacra, bounds.butteraugli3 / Math.max(1e-3, butteraugli3)) - 1
  }
}

const atEqualReferees = async (
  ladder: EyeLadder,
  { ours, shown, pixels, wanted }: { ours: Figures; shown: Raster; pixels: Raster; wanted: Wanted },
): Promise<Readonly<Record<string, number>>> => {
  const ratios: Record<string, number> = {}
  for (const { name, figure } of wanted.referees) {
    const theirs = await ladder.read(logBytes, (rung) => figure(pixels, rung.shown), await figure(pixels, shown))
    ratios[name] = ours.bytes / Math.exp(theirs)
  }
  return ratios
}

const compareWith = async (
  { name, fixed }: EyePeer,
  ladder: EyeLadder,
  { ours, shown, pixels, wanted }: { ours: Figures; shown: Raster; pixels: Raster; wanted: Wanted },
): Promise<PeerRow> => {
  if (fixed !== undefined) {
    const rung = await ladder.at(fixed)
    return { name, figures: figuresOf(rung, rung.scores, wanted.quality), cpu: ladder.cpu() }
  }
  const { quality: needs } = await ladder.reach(keeping(wanted.quality), 0)
  const equal = await ladder.reach(ssimulacra, ours.ssimulacra)
  const row = {
    name,
    needs,
    brokenAtEqualSsimulacra: figuresOf(equal, equal.scores, wanted.quality).broken,
    atEqualSsimulacra: ours.bytes / Math.exp(await ladder.read(logBytes, ssimulacra, ours.ssimulacra)),
    atEqualButteraugli: ours.bytes / Math.exp(await ladder.read(logBytes, nearness, -ours.butteraugli3)),
    cpu: ladder.cpu(),
  }
  const refereed =
    wanted.referees.length > 0
      ? { ...row, atEqualReferees: await atEqualReferees(ladder, { ours, shown, pixels, wanted }) }
      : row
  if (!wanted['psnr-hvs']) return refereed
  const theirs = await ladder.read((rung) => psnrHvs(pixels, rung.shown), logBytes, Math.log(ours.bytes))
  return { ...refereed, psnrHvs: psnrHvs(pixels, shown) - theirs }
}

const FIGURE: Readonly<Record<Measure, (scores: Scores) => number>> = {
  ssimulacra: (scores) => scores.worstTileSsimulacra,
  butteraugli: (scores) => scores.worstTileButteraugli,
  tileColour: (scores) => scores.tileColour,
  contour: (scores) => scores.contour,
}

interface Shown {
  readonly pixels: Raster
  readonly ours: Raster
  readonly peer: EyeRung | undefined
  readonly quality: LossyPreset
}

const OF_BOUND: Readonly<Record<Measure, (figure: number, bounds: Bounds) => number>> = {
  ssimulacra: (score, { ssimulacra: least }) => (100 - score) / (100 - least),
  butteraugli: (distance, { butteraugli3: most }) => distance / most,
  tileColour: (shift, { tileColour: most }) => shift / most,
  contour: (step, { contour: most }) => step / most,
}

const placeOf = async (file: string, measure: Measure, scores: Scores, shown: Shown): Promise<BadPlace> => {
  const figure = FIGURE[measure](scores)
  const at: Box = scores.worstAt[measure]
  const { pixels, ours, peer, quality } = shown
  const images = [pixels, ours, ...(peer ? [peer.shown] : [])]
  const theirs = peer ? `; peer q${peer.quality}: ${FIGURE[measure](peer.scores).toFixed(2)}, ${peer.bytes} bytes` : ''
  return {
    label: `${file} at ${at.left},${at.top}: ${measure} ${figure.toFixed(2)}${theirs}`,
    badness: measure === 'ssimulacra' ? -figure : figure,
    ofBound: OF_BOUND[measure](figure, boundsFor(quality, 1)),
    pieces: await Promise.all(images.map((image) => cutPiece(image, at))),
  }
}

const placesOf = async (file: string, scores: Scores, shown: Shown): Promise<EyeRow['places']> => {
  const places = await Promise.all(MEASURES.map((measure) => placeOf(file, measure, scores, shown)))
  return Object.fromEntries(MEASURES.map((measure, i) => [measure, places[i]!])) as EyeRow['places']
}

const laddersOf = (wanted: Wanted, pixels: Raster, reference: MetricReference): (readonly [EyePeer, EyeLadder])[] =>
  wanted.peers
    .filter(({ alpha }) => alpha || pixels.channels === 3)
    .map((peer) => [peer, openEyeLadder(peer, pixels, reference)] as const)

/** Makes ours of an image by the real engine and compares it with every peer that can show the image. */
export const compareImage = async (metrics: PerceptualMetrics, path: string, wanted: Wanted): Promise<EyeRow> => {
  const asked = await ask(path, wanted.options)
  const { result, bytes, cpu } = await makeOurs(asked)
  const { pixels, facts } = asked
  using reference = metrics.prepare(pixels)
  const shown = await shownPixels(bytes, result.format)
  const scores = reference.measure(shown)
  const ours = figuresOf({ bytes: bytes.length, format: result.format as StillFormat }, scores, wanted.quality)
  const ladders = laddersOf(wanted, pixels, reference)
  const peers: PeerRow[] = []
  for (const [peer, ladder] of ladders) {
    peers.push(await compareWith(peer, ladder, { ours, shown, pixels, wanted }))
  }
  const [first] = ladders
  const asLarge =
    first && (await (first[0].fixed ? first[1].at(first[0].fixed) : first[1].reach(logBytes, Math.log(bytes.length))))
  const file = basename(path)
  const places = await placesOf(file, scores, { pixels, ours: shown, peer: asLarge, quality: wanted.quality })
  return {
    file,
    path,
    format: result.format,
    source: facts.bytes,
    megapixels: (pixels.width * pixels.height) / 1e6,
    ours,
    cpu,
    warned: result.meetsTarget === false,
    peers,
    places,
  }
}
