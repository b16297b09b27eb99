import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { AnyRaster } from '../../src/core/image.ts'
import { DISTORTIONS, type Distortion, distort } from './distort.ts'
import { readPairs } from './pairs.ts'
import { readRaster } from './read-raster.ts'

/** A pair by name: an original of a folder, and a distorted file next to it or a distortion made here. */
export interface ButteraugliPair {
  readonly original: string
  readonly candidate: string
}

/** A pair with what the reference tool prints of it. */
export interface RecordedPair extends ButteraugliPair {
  readonly maximum: number
  readonly norm3: number
}

/** Every original of a folder with its distorted file and with each distortion that is made here. */
export const listPairs = (folder: string): ButteraugliPair[] =>
  readPairs(folder).flatMap((pair) => {
    const original = basename(pair.original)
    return [basename(pair.distorted), ...DISTORTIONS].map((candidate) => ({ original, candidate }))
  })

const isDistortion = (name: string): name is Distortion => DISTORTIONS.some((distortion) => distortion === name)

/** Both rasters of a pair. */
export const openPair = async (
  folder: string,
  { original, candidate }: ButteraugliPair,
): Promise<{ readonly original: AnyRaster; readonly candidate: AnyRaster }> => {
  const raster = await readRaster(join(folder, original))
  const other = isDistortion(candidate) ? distort(raster, candidate) : await readRaster(join(folder, candidate))
  return { original: raster, candidate: other }
}

/** The recorded figures of a folder: `butteraugli.tsv` with original, candidate, maximum, 3-norm. */
export const readRecorded = (folder: string): RecordedPair[] =>
  readFileSync(join(folder, 'butteraugli.tsv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .map(([original, candidate, maximum, norm3]) => ({
      original: original!,
      candidate: candidate!,
      maximum: Number(maximum),
      norm3: Number(norm3),
    }))
