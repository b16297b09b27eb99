/**
 * What the eye sees of our results and of peers': both metrics, colour of tiles, contours and bytes, and the worst places
 * side by side: `npm run bench:eye -- --help` tells how.
 */
import { writeFileSync } from 'node:fs'
import { openMetrics } from '../src/metric/metrics.ts'
import { readArguments } from './eye/arguments.ts'
import { compareImage, type EyeRow, MEASURES, type PeerRow } from './eye/compare.ts'
import { peersNamed } from './eye/peers.ts'
import { writeSheet } from './eye/sheets.ts'

const { files, cjpegli, sheets, json, ...rest } = readArguments()
const wanted = { ...rest, peers: peersNamed(rest.peers, cjpegli) }
const metrics = await openMetrics()
const rows: EyeRow[] = []

const rounded = (value: number): number => Number(value.toFixed(2))
const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const known = (peers: readonly PeerRow[], pick: (peer: PeerRow) => number | undefined): number[] =>
  peers.map(pick).filter((value) => value !== undefined && Number.isFinite(value)) as number[]

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

/** Of one peer over all images: geometric means of our bytes in terms of its own. */
const summaryOf = (name: string): object => {
  const all = rows.flatMap(({ ours, peers }) =>
    peers.filter((peer) => peer.name === name).map((peer) => ({ ours, peer })),
  )
  const peers = all.map(({ peer }) => peer)
  const fixed = all.filter(({ peer }) => peer.figures)
  const equal = known(peers, (peer) => peer.atEqualSsimulacra)
  const hvs = known(peers, (peer) => peer.psnrHvs)
  return {
    peer: name,
    images: all.length,
    ...(equal.length > 0
      ? {
          'equal ssimulacra': rounded(geometricMean(equal)),
          'equal butteraugli': rounded(geometricMean(known(peers, (peer) => peer.atEqualButteraugli))),
        }
      : {}),
    ...(hvs.length > 0 ? { 'psnr-hvs dB': rounded(mean(hvs)) } : {}),
    ...(fixed.length > 0
      ? {
          'our bytes / its bytes': rounded(
            geometricMean(fixed.map(({ ours, peer }) => ours.bytes / peer.figures!.bytes)),
          ),
          'it breaks a bound': fixed.filter(({ peer }) => peer.figures!.broken.length > 0).length,
        }
      : {}),
  }
}
console.table(wanted.peers.map(({ name }) => summaryOf(name)))
const broken = rows.filter(({ ours, warned }) => ours.broken.length > 0 && !warned)
console.log(`${rows.length} images at ${wanted.quality}; ${broken.length} break a bound without a Warning`)

if (sheets !== undefined)
  for (const measure of MEASURES)
    await writeSheet(
      sheets,
      measure,
      rows.map(({ places }) => places[measure]),
    )
if (json !== undefined) {
  const figures = rows.map(({ places: _, ...row }) => row)
  writeFileSync(
    json,
    `${JSON.stringify({ quality: wanted.quality, options: wanted.options, rows: figures }, null, 2)}\n`,
  )
}
