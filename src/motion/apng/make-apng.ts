import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MIN_STEP_MS } from '../../core/intervals.ts'
import type { ResultFile } from '../../core/outcome.ts'
import { countColours, type Histogram } from '../../formats/palette/histogram.ts'
import { gatherFrames } from '../frames/gather-frames.ts'
import { describe, type MotionJob } from '../frames/job.ts'
import { type FrameMetric, openFrameMetric } from '../frames/score-frames.ts'
import { type AllFrames, MAX_CLUSTERED_PIXELS, searchSharedPalette } from '../frames/shared-palette.ts'
import type { PixelCells } from './cells.ts'
import { type PixelFormat, paletteOf, trueColour, wordsOfFrames } from './pixel-format.ts'
import { type CellAnimation, writeApng } from './write-apng.ts'

type Tall = AllFrames['tall']

interface Version {
  readonly cells: PixelCells
  readonly format: PixelFormat
  readonly score: number
}

/** Without loss: a palette where all frames together have at most 256 colours. */
const losslessVersion = (tall: Tall, histogram: Histogram | undefined): Version => {
  const words = wordsOfFrames(tall.data)
  const exact = histogram !== undefined && histogram.counts.length <= 256
  return exact
    ? { cells: Uint8Array.from(histogram.entries), format: paletteOf(histogram.colours), score: 100 }
    : { cells: words, format: trueColour(words), score: 100 }
}

/** The smallest palette for all frames together that keeps the promise; undefined when 256 colours do not, or there is no time. */
const palettedVersion = (all: AllFrames, metric: FrameMetric, job: MotionJob): Version | undefined => {
  const found = searchSharedPalette(all, metric, job, [])
  return found && { cells: found.indexed.indices, format: paletteOf(found.indexed.table), score: found.scores.score }
}

/** The animation as APNG: without loss, or with a palette for all frames where that reaches the target in fewer bytes. */
export const makeApng = async (job: MotionJob): Promise<ResultFile> => {
  const { output } = job.transform.geometry
  const data = await job.time('resize', () => gatherFrames(job))
  const tall: Tall = { width: output.width, height: data.length / output.width / 4, channels: 4, data }
  const frames = tall.height / output.height
  const animation = { ...output, delays: job.delays.slice(0, frames), plays: job.animation.loop }
  const counted = tall.width * tall.height <= MAX_CLUSTERED_PIXELS ? countColours(tall) : undefined
  let encodes = 0
  let best: ResultFile | undefined
  const write = async ({ cells, format, score }: Version): Promise<void> => {
    encodes += 1
    const encoded = await job.time('encode', async () =>
      writeApng(
        { ...animation, cells } satisfies CellAnimation,
        format,
        () => best !== undefined && job.deadline.signal.aborted,
      ),
    )
    if (encoded === undefined || (best !== undefined && encoded.bytes.length >= best.bytes)) return
    const path = join(job.directory, `${encodes}.png`)
    await writeFile(path, encoded.bytes)
    best = await describe(job, { format: 'png', path, encodes, frames: encoded.frames, score, meetsTarget: true })
    job.offer(best)
  }
  await write(losslessVersion(tall, counted))
  const late = job.deadline.remaining() < MIN_STEP_MS
  if (job.plan.target.kind !== 'lossless' && counted !== undefined && !late) {
    using metric = await openFrameMetric(job)
    const version = await job.time('search', async () => palettedVersion({ tall, histogram: counted }, metric, job))
    if (version !== undefined) await write(version)
  }
  return { ...best!, encodes, ...(late || job.deadline.signal.aborted ? { cutShort: true } : {}) }
}
