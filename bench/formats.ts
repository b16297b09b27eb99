/** WebP and AVIF of the real engine against sharp's, at exactly equal quality: `npm run bench:formats -- --help`. */
import { writeFileSync } from 'node:fs'
import { openMetrics } from '../src/metric/metrics.ts'
import { ask } from './corpus/ask.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { makeOurs } from './corpus/ours.ts'
import { imagesIn, readPreset } from './eye/arguments.ts'
import { compareImage, type EyeRow } from './eye/compare.ts'
import { peersNamed } from './eye/peers.ts'
import { rounded, summaryOf } from './eye/summary.ts'

/** Peers by format. sharp's best AVIF takes minutes an image, and is no peer of a service. */
const PEERS = { webp: ['webp', 'webp6'], avif: ['avif'] }

const HELP = `Bytes of our WebP and AVIF against sharp's, brought to exactly equal quality by each of the two metrics: WebP at sharp's
default effort and at its highest, AVIF at its default.

Usage: npm run bench:formats -- [options] <folder or file> ...

  --quality PRESET  low, medium or high (medium)
  --limit N         images of each folder (1000)
  --json FILE       writes the figures
  --help            says this
`

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: {
    quality: { type: 'string', default: 'medium' },
    limit: { type: 'string', default: '1000' },
    json: { type: 'string' },
  },
})
const quality = readPreset(values.quality)
const files = requirePaths(HELP, positionals).flatMap((path) =>
  imagesIn(path, readNumber(HELP, '--limit', values.limit)),
)
const metrics = await openMetrics()
// One beforehand, so that no figure counts the compiling of the kernels.
await makeOurs(await ask(files[0]!, 'full'))

const lines: object[] = []
const figures: object[] = []
for (const [format, names] of Object.entries(PEERS)) {
  const peers = peersNamed(names)
  const options = `quality=${quality},full,format=${format}`
  const rows: EyeRow[] = []
  for (const [at, file] of files.entries()) {
    const row = await compareImage(metrics, file, { options, quality, peers, 'psnr-hvs': false, referees: [] })
    const { ours, peers: theirs } = row
    const equal = theirs.map(
      (peer) => `${peer.name} ${peer.atEqualSsimulacra?.toFixed(2)} ${peer.atEqualButteraugli?.toFixed(2)}`,
    )
    console.log(
      `${format} ${at + 1}/${files.length} ${row.file}: ${ours.bytes}, ${ours.ssimulacra.toFixed(1)}, ` +
        `${ours.butteraugli3.toFixed(2)}, ${equal.join(', ')}; breaks ${ours.broken.join(' ') || 'nothing'}`,
    )
    rows.push(row)
  }
  for (const peer of peers) lines.push({ format, ...(await summaryOf(rows, peer, options)) })
  const over = rows.map(({ ours }) => ours.ssimulacra).toSorted((a, b) => a - b)
  console.log(
    `${format}: SSIMULACRA ${rounded(over[0]!)} to ${rounded(over.at(-1)!)}, ${rounded(over[over.length >> 1]!)} in the median`,
  )
  figures.push({ format, rows: rows.map(({ places: _, ...row }) => row) })
}
console.table(lines)
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ quality, summary: lines, figures }, null, 2)}\n`)
