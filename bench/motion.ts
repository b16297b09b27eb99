/** Bytes and CPU of animations in every format, against their source: `npm run bench:motion -- --help`. */

import { readFileSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { deadlineIn } from '../src/core/deadline.ts'
import { Failure } from '../src/core/failure.ts'
import type { OutputFormat } from '../src/core/image.ts'
import type { ResultFile } from '../src/core/outcome.ts'
import { openAnimation } from '../src/motion/frames/animation.ts'
import { playedDelays, sumOf } from '../src/motion/frames/timing.ts'
import type { Target } from '../src/plan/plan.ts'
import { type LossyPreset, PRESET_SCORES } from '../src/plan/targets.ts'
import { readVideo } from '../test/motion/read-video.ts'
import { make } from '../test/motion/request.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { timed } from './corpus/timed.ts'

const HELP = `What the animated GIFs of a folder weigh in every format, against their source. For each file and in total: bytes, share of the
source, CPU in seconds (ours and the programs'), error of the duration in ms, frames. A busy machine may cut a search short at
the timeout: the line and the total say so. A file without a result in time has a line, and does not count.

Usage: npm run bench:motion -- [--timeout N] [<folder>] [<formats>] [<preset>]

  <folder>     ../corpus/gif-animated unless given
  <formats>    gif, webp, avif, webm, h264 (gif,webp,webm,h264)
  <preset>     low, medium, high or lossless (medium)
  --timeout N  seconds for each file and format (60)
  --help       says this
`

const { positionals, values } = readCommand(HELP, {
  allowPositionals: true,
  options: { timeout: { type: 'string', default: '60' } },
})
const [folder = '../corpus/gif-animated', formats = 'gif,webp,webm,h264', preset = 'medium'] = positionals
requirePaths(HELP, [folder])
const seconds = readNumber(HELP, '--timeout', values.timeout)
const LARGE = 100_000

interface Row {
  readonly source: number
  readonly result: ResultFile
  readonly cpu: number
  readonly error: number
}

/** Frames and duration of an image sequence, from the boxes of its media header (version 0) and of its sample times. */
const readSequence = (file: Buffer): { frames: number; durationMs: number } => {
  const scale = file.readUInt32BE(file.indexOf('mdhd') + 16)
  const times = file.indexOf('stts')
  const runs = Array.from({ length: file.readUInt32BE(times + 8) }, (_, i) => ({
    frames: file.readUInt32BE(times + 12 + i * 8),
    ticks: file.readUInt32BE(times + 16 + i * 8),
  }))
  return {
    frames: runs.reduce((sum, { frames }) => sum + frames, 0),
    durationMs: (runs.reduce((sum, { frames, ticks }) => sum + frames * ticks, 0) * 1000) / scale,
  }
}

/** Frames and duration of the finished file, read from its bytes. */
const measure = async (file: ResultFile): Promise<{ frames: number; durationMs: number }> => {
  if (file.format === 'webm' || file.format === 'h264') return readVideo(file.path)
  if (file.format === 'avif') return readSequence(readFileSync(file.path))
  const { frames, delays } = await openAnimation(file.path, { format: 'gif' })
  return { frames, durationMs: sumOf(playedDelays(delays, frames)) }
}

const TARGET: Target =
  preset === 'lossless'
    ? { kind: 'lossless' }
    : { kind: 'score', score: PRESET_SCORES[preset as LossyPreset], preset: preset as LossyPreset }

const run = async (path: string, format: OutputFormat): Promise<Row> => {
  const animation = await openAnimation(path, { format: 'gif' })
  const { ms, value } = await timed(() => make(path, format, { target: TARGET, deadline: deadlineIn(seconds * 1000) }))
  const { result, facts } = value
  const found = await measure(result)
  const error = Math.abs(found.durationMs - sumOf(playedDelays(animation.delays, animation.frames)))
  // libwebp joins frames that repeat the one before; everything else keeps their number.
  const expected = format === 'webp' ? result.frames : animation.frames
  await rm(dirname(result.path), { recursive: true, force: true })
  if (found.frames !== expected) throw new Error(`${path}: ${found.frames} frames instead of ${expected}`)
  return { source: facts.bytes, result, cpu: ms / 1000, error }
}

const show = (name: string, { source, result, cpu, error }: Row): void =>
  console.log(
    [
      name.padEnd(56).slice(0, 56),
      result.format.padEnd(4),
      String(source).padStart(8),
      String(result.bytes).padStart(8),
      `${((100 * result.bytes) / source).toFixed(1)} %`.padStart(8),
      `${cpu.toFixed(2)} s`.padStart(8),
      `${error.toFixed(1)} ms off`.padStart(12),
      `${result.frames} frames`.padStart(11),
      result.score === undefined ? '' : `score ${result.score.toFixed(1)}`,
      ...(result.cutShort === true ? ['cut short'] : []),
      ...result.warnings,
    ].join('  '),
  )

/** A row; undefined where nothing was ready in time. */
const runInTime = async (path: string, format: OutputFormat): Promise<Row | undefined> => {
  try {
    return await run(path, format)
  } catch (error) {
    if (error instanceof Failure && error.code === 'WORK_TOO_SLOW') return undefined
    throw error
  }
}

const total = (title: string, rows: readonly Row[]): void => {
  const source = rows.reduce((sum, row) => sum + row.source, 0)
  const results = rows.reduce((sum, row) => sum + row.result.bytes, 0)
  const cpu = rows.reduce((sum, row) => sum + row.cpu, 0)
  const error = Math.max(0, ...rows.map((row) => row.error))
  const cutShort = rows.filter((row) => row.result.cutShort === true).length
  console.log(
    `${title}: ${rows.length} files, ${source} -> ${results} bytes (${(results / source).toFixed(3)}), ${cpu.toFixed(1)} CPU s, at most ${error.toFixed(1)} ms off, ${cutShort} cut short`,
  )
}

for (const format of formats.split(',') as OutputFormat[]) {
  const rows: Row[] = []
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.gif')).sort()) {
    const row = await runInTime(resolve(folder, name), format)
    if (row === undefined) console.log(`${name}  ${format}  nothing in time`)
    else {
      rows.push(row)
      show(name, row)
    }
  }
  total(`${format} ${preset}, all`, rows)
  total(
    `${format} ${preset}, over 100 KB`,
    rows.filter((row) => row.source > LARGE),
  )
}
