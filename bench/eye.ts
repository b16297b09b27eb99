/**
 * Visual quality of our results and of peers': both metrics, colour of tiles, contours and bytes, and the worst places
 * side by side: see `npm run bench:eye -- --help`.
 */
import { writeFileSync } from 'node:fs'
import { openMetrics } from '../src/metric/metrics.ts'
import { ask } from './corpus/ask.ts'
import { makeOurs } from './corpus/ours.ts'
import { readArguments } from './eye/arguments.ts'
import { compareImage, type EyeRow, MEASURES, worstPlace } from './eye/compare.ts'
import { peersNamed } from './eye/peers.ts'
import { dssimOf } from './eye/referees/dssim.ts'
import { REFEREES } from './eye/referees/referees.ts'
import { writeSheet, writeWorst } from './eye/sheets.ts'
import { bytesOfSources, rounded, summaryOf } from './eye/summary.ts'

const { files, cjpegli, dssim, sheets, worst, json, ...rest } = readArguments()
const referees = [...(rest.referees ? REFEREES : []), ...(dssim === undefined ? [] : [dssimOf(dssim)])]
const wanted = { ...rest, referees, peers: peersNamed(rest.peers, cjpegli) }
const metrics = await openMetrics()
const rows: EyeRow[] = []

// One beforehand, so that no figure counts the compiling of the kernels.
if (files[0] !== undefined) await makeOurs(await ask(files[0], wanted.options))
for (const [at, file] of files.entries()) {
  try {
    rows.push(await compareImage(metrics, file, wanted))
  } catch (failure) {
    console.log(`${at + 1}/${files.length} ${file}: ${failure}`)
    continue
  }
  const { ours, format, peers } = rows.at(-1)!
  const equal = peers.map(({ name, atEqualSsimulacra: a, atEqualButteraugli: b, figures }) =>
    figures ? `${name} ${figures.bytes}` : `${name} ${a?.toFixed(2)} ${b?.toFixed(2)}`,
  )
  console.log(
    `${at + 1}/${files.length} ${rows.at(-1)!.file}: ${ours.bytes} ${format}, ${ours.ssimulacra.toFixed(1)}, ` +
      `${ours.butteraugli3.toFixed(2)}, ${equal.join(', ')}; breaks ${ours.broken.join(' ') || 'nothing'}`,
  )
}

console.table(
  rows.map(({ file, format, ours, warned }) => ({
    file: file.slice(0, 32),
    format,
    bytes: ours.bytes,
    ssimulacra: rounded(ours.ssimulacra),
    'worst 256': rounded(ours.worstTileSsimulacra),
    butteraugli: rounded(ours.butteraugli3),
    max: rounded(ours.butteraugliMax),
    'worst 64': rounded(ours.worstTileButteraugli),
    colour: rounded(ours.tileColour),
    contour: rounded(ours.contour),
    breaks: `${ours.broken.join(' ')}${warned ? ' (Warning)' : ''}`,
  })),
)

const lines: object[] = []
for (const peer of wanted.peers) lines.push(await summaryOf(rows, peer, wanted.options))
console.table(lines)
const broken = rows.filter(({ ours, warned }) => ours.broken.length > 0 && !warned)
console.log(
  `${rows.length} images at ${wanted.quality}; ${broken.length} break a bound without a Warning; ${bytesOfSources(rows)}`,
)

if (sheets !== undefined)
  for (const measure of MEASURES)
    await writeSheet(
      sheets,
      measure,
      rows.map(({ places }) => places[measure]),
    )
if (worst !== undefined) console.log((await writeWorst(worst, rows.map(worstPlace))).join('\n'))
if (json !== undefined) {
  const figures = rows.map(({ places: _, ...row }) => row)
  writeFileSync(
    json,
    `${JSON.stringify({ quality: wanted.quality, options: wanted.options, summary: lines, rows: figures }, null, 2)}\n`,
  )
}
