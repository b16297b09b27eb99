/** Results that are optimised again, compared with the first source: `npm run bench:rounds -- --help`. */
import { readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { compare, openOptimiser } from '../src/library/whittle.ts'
import type { LossyPreset } from '../src/plan/targets.ts'
import { PROMISES } from '../src/plan/targets.ts'
import { identify } from '../src/source/identify.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { spread } from './corpus/spread.ts'

const HELP = `Optimises each image several times, each time by an optimiser that has never seen it, and compares the last result with the
first source. Ends with 1 where a result breaks the lowest promise or is larger than the one before.

Usage: npm run bench:rounds -- [options] <folder> ...

  --rounds LIST   the preset of each round: low, medium, high (medium,medium,medium)
  --formats LIST  png, jpeg, webp, avif, gif (all of them)
  --limit N       results (60)
  --images N      images of each folder, spread evenly (1000)
  --help          says this
`

const { positionals, values } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: 'medium,medium,medium' },
    formats: { type: 'string', default: 'png,jpeg,webp,avif,gif' },
    limit: { type: 'string', default: '60' },
    images: { type: 'string', default: '1000' },
  },
})
requirePaths(HELP, positionals)
/** Seconds for each result: a search that is cut short proves nothing. */
const TIMEOUT = 120

const presets = values.rounds.split(',') as LossyPreset[]
const lowest = (['low', 'medium', 'high'] as const).find((preset) => presets.includes(preset))!

/** Still results in another format, and moving ones in a format that moves. */
const formatsOf = (frames: number): readonly string[] =>
  values.formats.split(',').filter((format) => (frames > 1 ? format === 'gif' || format === 'webp' : format !== 'gif'))

const pixelsOf = (path: string): Promise<Buffer> => sharp(path, { animated: true }).ensureAlpha().raw().toBuffer()

interface Round {
  readonly path: string
  readonly bytes: number
}

const scratch = await mkdtemp(join(tmpdir(), 'rounds-'))
const roundsOf = async (source: string, format: string, label: string): Promise<readonly Round[]> => {
  const done: Round[] = []
  for (const [number, quality] of presets.entries()) {
    await using optimiser = openOptimiser({ workers: 1 })
    const image = await optimiser.optimiseFile(
      done.at(-1)?.path ?? source,
      `full,quality=${quality},format=${format},timeout=${TIMEOUT}`,
    )
    const path = join(scratch, `${label}-${format}-${number}`)
    await writeFile(path, image.bytes)
    done.push({ path, bytes: image.bytes.length })
  }
  return done
}

/** Alpha counts as white: JPEG results have none. */
const flat = (path: string): Promise<Buffer> => sharp(path).flatten({ background: '#fff' }).png().toBuffer()

let broken = 0
let done = 0
process.stdout.write('image\tformat\tbytes by round\tSSIMULACRA\tButteraugli\tpixels by round\tpromise\n')
const report = async (name: string, source: string, format: string, frames: number): Promise<void> => {
  const rounds = await roundsOf(source, format, String(done))
  const [first, ...later] = await Promise.all(rounds.map(({ path }) => pixelsOf(path)))
  const same = later.every((pixels) => pixels.equals(first!)) ? 'same' : 'change'
  const measured = frames > 1 ? undefined : await compare(await flat(source), await flat(rounds.at(-1)!.path))
  const { ssimulacra, butteraugli3 } = PROMISES[lowest]
  const keeps =
    measured === undefined ? same === 'same' : measured.score >= ssimulacra && measured.butteraugli <= butteraugli3
  const grows = rounds.some(({ bytes }, i) => i > 0 && bytes > rounds[i - 1]!.bytes)
  if (!keeps || grows) broken += 1
  done += 1
  const figures = measured === undefined ? ['', ''] : [measured.score.toFixed(1), measured.butteraugli.toFixed(2)]
  const verdict = grows ? 'GROWS' : keeps ? 'kept' : 'BROKEN'
  process.stdout.write(
    `${[name, format, rounds.map(({ bytes }) => bytes).join(' > '), ...figures, same, verdict].join('\t')}\n`,
  )
}

let failed = 0
for (const folder of positionals) {
  const names = readdirSync(folder).filter((file) => /\.(?:png|jpe?g|gif|webp|avif)$/.test(file))
  for (const name of spread(names, readNumber(HELP, '--images', values.images))) {
    const source = join(folder, name)
    const { frames } = await identify(source)
    for (const format of formatsOf(frames)) {
      if (done >= readNumber(HELP, '--limit', values.limit)) break
      await report(name, source, format, frames).catch((error: unknown) => {
        failed += 1
        process.stdout.write(`${name}\t${format}\t${error instanceof Error ? error.message : error}\tFAILED\n`)
      })
    }
  }
}
process.stdout.write(`${broken} of ${done} broken, ${failed} failed\n`)
await rm(scratch, { recursive: true })
if (broken + failed > 0) process.exitCode = 1
