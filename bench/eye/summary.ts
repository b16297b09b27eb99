import { ask } from '../corpus/ask.ts'
import { geometricMean, median } from '../corpus/floor.ts'
import type { EyeRow, PeerRow } from './compare.ts'
import type { EyePeer } from './peers.ts'

/** To two decimals. */
export const rounded = (value: number): number => Number(value.toFixed(2))

/** An image with what one peer made of it. */
interface Pair {
  readonly row: EyeRow
  readonly peer: PeerRow
}

const known = (pairs: readonly Pair[], pick: (peer: PeerRow) => number | undefined): number[] =>
  pairs.map(({ peer }) => pick(peer)).filter((value) => value !== undefined && Number.isFinite(value)) as number[]

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** Cost of the guarantee for a peer: our bytes relative to its own at the one quality from which every image keeps both metrics' bounds. */
const floorOf = async (pairs: readonly Pair[], { encode }: EyePeer, options: string): Promise<object> => {
  const quality = Math.max(...pairs.map(({ peer }) => peer.needs ?? 0))
  const theirs: number[] = []
  for (const { row } of pairs) theirs.push((await encode((await ask(row.path, options)).pixels, quality)).length)
  return {
    'floor: its quality': quality,
    'floor, mean': rounded(geometricMean(pairs.map(({ row }, i) => row.ours.bytes / theirs[i]!))),
    'floor, total': rounded(total(pairs.map(({ row }) => row.ours.bytes)) / total(theirs)),
  }
}

/** How many of the lists have each name: "contour 3, tileColour 1"; "none" where all are empty. */
export const countsOf = (lists: readonly (readonly string[])[]): string => {
  const counts = new Map<string, number>()
  for (const name of lists.flat()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ') || 'none'
}

const refereesOf = (pairs: readonly Pair[]): string[] => [
  ...new Set(pairs.flatMap(({ peer }) => Object.keys(peer.atEqualReferees ?? {}))),
]

const atEqualQuality = async (pairs: readonly Pair[], peer: EyePeer, options: string): Promise<object> => {
  const hvs = known(pairs, (one) => one.psnrHvs)
  return {
    'equal ssimulacra': rounded(geometricMean(known(pairs, (one) => one.atEqualSsimulacra))),
    'it breaks at equal ssimulacra': countsOf(pairs.map(({ peer: one }) => one.brokenAtEqualSsimulacra ?? [])),
    'equal butteraugli': rounded(geometricMean(known(pairs, (one) => one.atEqualButteraugli))),
    ...Object.fromEntries(
      refereesOf(pairs)
        .map((name) => [name, median(known(pairs, (one) => one.atEqualReferees?.[name]))] as const)
        .filter(([, ratio]) => Number.isFinite(ratio))
        .map(([name, ratio]) => [`equal ${name}, median`, rounded(ratio)]),
    ),
    ...(hvs.length > 0 ? { 'psnr-hvs dB': rounded(mean(hvs)) } : {}),
    ...(await floorOf(pairs, peer, options)),
  }
}

const bytesAgainst = (pairs: readonly Pair[]): number =>
  rounded(geometricMean(pairs.map(({ row, peer }) => row.ours.bytes / peer.figures!.bytes)))

const atItsSetting = (pairs: readonly Pair[]): object => {
  const both = pairs.filter(({ row, peer }) => row.ours.broken.length === 0 && peer.figures!.broken.length === 0)
  return {
    'our bytes / its bytes': bytesAgainst(pairs),
    'it breaks': countsOf(pairs.map(({ peer }) => peer.figures!.broken)),
    'where both keep all': bytesAgainst(both),
  }
}

const cpuAgainst = (pairs: readonly Pair[]): object => ({
  'CPU, median': rounded(median(pairs.map(({ row, peer: { cpu } }) => row.cpu / cpu))),
  'CPU, total': rounded(total(pairs.map(({ row }) => row.cpu)) / total(pairs.map(({ peer: { cpu } }) => cpu))),
})

/** Of one peer over all images: means of our bytes in terms of its own, and the median of our CPU in terms of one encode of its. */
export const summaryOf = async (rows: readonly EyeRow[], peer: EyePeer, options: string): Promise<object> => {
  const pairs = rows.flatMap((row) =>
    row.peers.filter((one) => one.name === peer.name).map((one) => ({ row, peer: one })),
  )
  if (pairs.length === 0) return { peer: peer.name, images: 0 }
  return {
    peer: peer.name,
    images: pairs.length,
    ...(peer.fixed === undefined ? await atEqualQuality(pairs, peer, options) : atItsSetting(pairs)),
    ...(peer.isRemote ? {} : cpuAgainst(pairs)),
  }
}

/** How many bytes of the sources remain: of the mean image, and of all together. */
export const bytesOfSources = (rows: readonly EyeRow[]): string => {
  const each = geometricMean(rows.map(({ ours, source }) => ours.bytes / source))
  const all = total(rows.map(({ ours }) => ours.bytes)) / total(rows.map(({ source }) => source))
  return `bytes of the sources: ${rounded(each)} in the geometric mean, ${rounded(all)} in all`
}
