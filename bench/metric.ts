/** Cost of the metrics, and their agreement with the reference tool: `npm run bench:metric -- --help`. */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { openArtefacts } from '../src/metric/artefacts/artefacts.ts'
import { openButteraugli } from '../src/metric/butteraugli/butteraugli.ts'
import type { Mode } from '../src/metric/ssimulacra2/scales.ts'
import { openSsimulacra2 } from '../src/metric/ssimulacra2/ssimulacra2.ts'
import { readPairs, toleranceOf } from '../test/golden/pairs.ts'
import { asSharp, readRaster } from '../test/golden/read-raster.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'

const HELP = `Cost of the metrics: CPU ms per megapixel to prepare a reference and to compare a candidate, pruned and exact, and the memory.
The candidate is sharp's JPEG at quality 75. One sharp mozjpeg encode of the same pixels is the yardstick, because npm has no
peer: those that exist give other scores or take seconds.

Usage: npm run bench:metric -- [options] <image or folder>
       npm run bench:metric -- --golden <folder>

  --images N    images of the folder (8)
  --golden DIR  scores each pair of a folder with a scores.tsv instead, and compares with the reference tool
  --help        says this
`

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: { golden: { type: 'string' }, images: { type: 'string', default: '8' } },
})
const images = readNumber(HELP, '--images', values.images)
const [target] = requirePaths(HELP, values.golden === undefined ? positionals : [values.golden])

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** CPU milliseconds of the whole process: wall time would hide what other threads burn, and count what other processes do. */
const time = async (rounds: number, act: () => unknown): Promise<number> => {
  const taken: number[] = []
  for (let i = 0; i < rounds; i++) {
    const start = process.cpuUsage()
    await act()
    const { user, system } = process.cpuUsage(start)
    taken.push((user + system) / 1000)
  }
  return median(taken)
}

const ssimulacra2 = await openSsimulacra2()
const butteraugli = await openButteraugli()
const artefacts = await openArtefacts()
const streaming = await openButteraugli({ keep: 0 })
/** Uses no memory twice, so that what an image takes is its own. */
const fresh = await openSsimulacra2({ idle: 0 })

const measure = async (file: string) => {
  const reference = await readRaster(
    await asSharp(await readRaster(file))
      .removeAlpha()
      .png()
      .toBuffer(),
  )
  const candidate = await readRaster(await asSharp(reference).jpeg({ quality: 75 }).toBuffer())
  const megapixels = (reference.width * reference.height) / 1e6
  const steps = async (depth: Mode) => {
    const prepare = await time(7, () => ssimulacra2.prepare(reference, depth).free())
    using prepared = ssimulacra2.prepare(reference, depth)
    const compare = await time(9, () => prepared.compare(candidate))
    using alone = fresh.prepare(reference, depth)
    const bytes = alone.bytes / megapixels / 1e6
    return { prepare: prepare / megapixels, compare: compare / megapixels, bytes, score: prepared.compare(candidate) }
  }
  // A reference is computed at its first comparison.
  const distances = async () => {
    const first = await time(5, () => {
      using fresh = butteraugli.prepare(reference)
      fresh.compare(candidate)
    })
    using prepared = butteraugli.prepare(reference)
    prepared.compare(candidate)
    const compare = await time(5, () => prepared.compare(candidate))
    using unkept = streaming.prepare(reference)
    const inTurns = await time(3, () => unkept.compare(candidate))
    return { prepare: (first - compare) / megapixels, compare: compare / megapixels, inTurns: inTurns / megapixels }
  }
  const worst = async () => {
    const first = await time(7, () => {
      using fresh = artefacts.prepare(reference, 1)
      fresh.worst(candidate)
    })
    using prepared = artefacts.prepare(reference, 1)
    const compare = await time(7, () => prepared.worst(candidate))
    return { prepare: (first - compare) / megapixels, compare: compare / megapixels }
  }
  const encode = await time(3, () => asSharp(reference).jpeg({ mozjpeg: true }).toBuffer())
  return {
    file: basename(file),
    megapixels,
    pruned: await steps('pruned'),
    exact: await steps('exact'),
    butteraugli: await distances(),
    artefacts: await worst(),
    encode: encode / megapixels,
  }
}

type Row = Awaited<ReturnType<typeof measure>>

const report = async (files: readonly string[]): Promise<void> => {
  const rows: Row[] = []
  for (const file of files) {
    const row = await measure(file)
    rows.push(row)
    console.log(
      `${row.file} ${row.megapixels.toFixed(2)} MP: prepare ${row.pruned.prepare.toFixed(1)}, compare ${row.pruned.compare.toFixed(1)}; ` +
        `exact ${row.exact.prepare.toFixed(1)}, ${row.exact.compare.toFixed(1)}; mozjpeg ${row.encode.toFixed(0)} ms/MP; ` +
        `score ${row.pruned.score.toFixed(3)}, exact ${row.exact.score.toFixed(3)}`,
    )
  }
  const of = (pick: (row: Row) => number) => median(rows.map(pick))
  const encode = of((row) => row.encode)
  const line = (name: string, ms: number) => ({
    step: name,
    'CPU ms/MP': ms.toFixed(1),
    'of one mozjpeg encode': (ms / encode).toFixed(2),
  })
  console.table([
    line(
      'prepare, pruned',
      of((row) => row.pruned.prepare),
    ),
    line(
      'compare, pruned',
      of((row) => row.pruned.compare),
    ),
    line(
      'prepare, exact',
      of((row) => row.exact.prepare),
    ),
    line(
      'compare, exact',
      of((row) => row.exact.compare),
    ),
    line(
      'prepare, Butteraugli',
      of((row) => row.butteraugli.prepare),
    ),
    line(
      'compare, Butteraugli',
      of((row) => row.butteraugli.compare),
    ),
    line(
      'compare in turns, Butteraugli',
      of((row) => row.butteraugli.inTurns),
    ),
    line(
      'prepare, colour of tiles and contours',
      of((row) => row.artefacts.prepare),
    ),
    line(
      'compare, colour of tiles and contours',
      of((row) => row.artefacts.compare),
    ),
    line('one sharp mozjpeg encode', encode),
  ])
  const [pruned, exact] = [of((row) => row.pruned.bytes), of((row) => row.exact.bytes)]
  console.log(
    `memory: ${pruned.toFixed(1)} bytes per pixel pruned, ${exact.toFixed(1)} exact; medians of ${rows.length} images`,
  )
}

const reportGolden = async (folder: string): Promise<void> => {
  const worst = new Map<string, readonly [number, number]>()
  let outside = 0
  let pruning = 0
  for (const pair of readPairs(folder)) {
    using reference = ssimulacra2.prepare(await readRaster(pair.original))
    const candidate = await readRaster(pair.distorted)
    const exact = reference.compare(candidate, 'exact')
    const [low, high] = toleranceOf(pair)
    const off = exact - pair.reference
    if (off < low || off > high) outside++
    pruning = Math.max(pruning, Math.abs(reference.compare(candidate) - exact))
    const kind = `${pair.kind.replace(/\/.*/, '')} ${pair.reference < 82 ? 'below' : 'from'} 82`
    const [least, most] = worst.get(kind) ?? [off, off]
    worst.set(kind, [Math.min(least, off), Math.max(most, off)])
  }
  console.table(
    Object.fromEntries(
      [...worst].toSorted().map(([kind, [least, most]]) => [kind, { least: least.toFixed(3), most: most.toFixed(3) }]),
    ),
  )
  console.log(
    `exact minus reference tool; ${outside} outside tolerance; pruned differs from exact by at most ${pruning.toFixed(5)}`,
  )
}

if (values.golden !== undefined) await reportGolden(target)
else if (statSync(target).isFile()) await report([target])
else {
  const files = readdirSync(target).filter((name) => /\.(png|jpe?g|webp)$/i.test(name))
  await report(files.slice(0, images).map((name) => join(target, name)))
}
