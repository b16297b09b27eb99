/** The child process of a comparison. Decodes two images, scores them, and draws their difference. */

import sharp from 'sharp'
import { Failure, fail } from '../core/failure.ts'
import { type Extent, type Raster, type SourceFacts, uprightExtent } from '../core/image.ts'
import { openButteraugli } from '../metric/butteraugli/butteraugli.ts'
import { REGION_SIDE } from '../metric/ssimulacra2/scores.ts'
import { openSsimulacra2, type Ssimulacra2 } from '../metric/ssimulacra2/ssimulacra2.ts'
import { checkSource } from '../plan/limits.ts'
import { decode } from '../raster/decode.ts'
import { identify } from '../source/identify.ts'
import type { CompareAnswer, CompareJob, TileScore } from './compare.ts'

const LIMITS = { maxBytes: Number.POSITIVE_INFINITY, maxPixels: 100e6, maxSide: 65_500, maxTotalPixels: 1e12 }
/** Factor that makes differences visible. */
const DIFFERENCE_GAIN = 8

/** The facts of an image within the limits. */
const identifyWithinLimits = async (path: string): Promise<SourceFacts> => {
  const facts = await identify(path)
  const refusal = checkSource(facts, LIMITS)
  if (refusal !== undefined) throw refusal
  if (facts.format === 'svg') throw fail('FORMAT_UNSUPPORTED', 'an SVG, which has no pixels to compare')
  return facts
}

const read = async (path: string, facts: SourceFacts): Promise<Raster> =>
  (await decode({ path, facts, limits: LIMITS })).pixels

/** The answer about images of different sizes. undefined for equal ones. */
const differentSizes = (reference: Extent, candidate: Extent): CompareAnswer | undefined =>
  reference.width === candidate.width && reference.height === candidate.height
    ? undefined
    : {
        kind: 'different-sizes',
        message: `The images are ${reference.width}x${reference.height} and ${candidate.width}x${candidate.height} px: only images of the same size can be compared.`,
      }

/** Copies a tile of a raster. */
const cut = (raster: Raster, { left, top, width, height }: Omit<TileScore, 'score'>): Raster => {
  const { channels } = raster
  const data = new Uint8Array(width * height * channels)
  for (let row = 0; row < height; row++) {
    const from = ((top + row) * raster.width + left) * channels
    data.set(raster.data.subarray(from, from + width * channels), row * width * channels)
  }
  return { width, height, channels, data }
}

/** Tiles of about 256 px a side. The last one of a row or column takes the rest. */
const tilesOf = ({ width, height }: Raster): Omit<TileScore, 'score'>[] => {
  const along = (length: number): { at: number; length: number }[] => {
    const count = Math.max(1, Math.floor(length / REGION_SIDE))
    return Array.from({ length: count }, (_, i) => ({
      at: i * REGION_SIDE,
      length: i === count - 1 ? length - i * REGION_SIDE : REGION_SIDE,
    }))
  }
  return along(height).flatMap((row) =>
    along(width).map((column) => ({ left: column.at, top: row.at, width: column.length, height: row.length })),
  )
}

const scoreTiles = (metric: Ssimulacra2, reference: Raster, candidate: Raster): TileScore[] =>
  tilesOf(reference).map((tile) => {
    using prepared = metric.prepare(cut(reference, tile))
    return { ...tile, score: prepared.compare(cut(candidate, tile)) }
  })

const drawDifference = async (one: Raster, other: Raster, path: string): Promise<void> => {
  const { width, height } = one
  const data = new Uint8Array(width * height * 3)
  for (let pixel = 0; pixel < width * height; pixel++)
    for (let channel = 0; channel < 3; channel++) {
      const from = one.data[pixel * one.channels + channel]!
      const to = other.data[pixel * other.channels + channel]!
      data[pixel * 3 + channel] = Math.min(255, Math.abs(from - to) * DIFFERENCE_GAIN)
    }
  await sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toFile(path)
}

const compareThem = async (job: CompareJob): Promise<CompareAnswer> => {
  const facts = [await identifyWithinLimits(job.reference), await identifyWithinLimits(job.candidate)] as const
  const [one, other] = facts.map((of) => uprightExtent(of, of.orientation)) as [Extent, Extent]
  // Checked before anything is decoded: one of them may be huge.
  const different = differentSizes(one, other)
  if (different !== undefined) return different
  const reference = await read(job.reference, facts[0])
  const candidate = await read(job.candidate, facts[1])
  const unexpected = differentSizes(reference, candidate)
  if (unexpected !== undefined) return unexpected
  const ssimulacra2 = await openSsimulacra2()
  const butteraugli = await openButteraugli()
  const { score, worst } = ((): { score: number; worst: number } => {
    using prepared = ssimulacra2.prepare(reference)
    return prepared.scores(candidate)
  })()
  using distances = butteraugli.prepare(reference)
  const { norm3, maximum } = distances.compare(candidate)
  await drawDifference(reference, candidate, job.difference)
  const tiles = scoreTiles(ssimulacra2, reference, candidate)
  const { width, height } = reference
  return {
    kind: 'done',
    comparison: { width, height, score, worst, butteraugli: norm3, butteraugliMax: maximum, tiles },
  }
}

const answer = async (job: CompareJob): Promise<CompareAnswer> => {
  try {
    return await compareThem(job)
  } catch (error) {
    if (error instanceof Failure) return { kind: 'failed', failure: error.toData() }
    return { kind: 'fault', message: error instanceof Error ? error.message : String(error) }
  }
}

// The child ends with its parent: no process reads the answer.
process.once('disconnect', () => process.exit())
process.once('message', (job: CompareJob) => void answer(job).then((report) => process.send?.(report, () => undefined)))
