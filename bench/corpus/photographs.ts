import type { Butteraugli } from './butteraugli.ts'
import { easiest, findFloor, geometricMean, median } from './floor.ts'
import { type Ladder, openLadder } from './ladder.ts'
import { type Measured, type OurRow, ourRow } from './measure.ts'
import { MOZJPEG, PHOTO_PEERS } from './peers.ts'
import type { Bar } from './plot.ts'

/** One photograph, measured. Peers are compared by the exact metric at the very goal that our search has. */
export interface PhotoRow {
  readonly file: string
  readonly megapixels: number
  readonly goal: number
  readonly ours: OurRow
  readonly peers: readonly PeerRow[]
  /** Butteraugli's 3-norm relative to sharp mozjpeg's at equal bytes; absent when it was not measured. */
  readonly butteraugli?: number
}

interface PeerRow {
  readonly name: string
  readonly usual: { readonly quality: number; readonly bytes: number; readonly score: number; readonly ms: number }
  /** The quality that keeps our promise here, and the bytes at our very score. */
  readonly needs: number
  readonly bytesAtOurScore: number
}

/** Ladders of every image, kept for the floors. */
export interface Photographs {
  readonly rows: PhotoRow[]
  readonly ladders: Map<string, Ladder>
}

/** Compares with every peer, and asks for a second opinion where there is one. */
export const measurePhotograph = async (
  measured: Measured,
  into: Photographs,
  butteraugli: Butteraugli | undefined,
): Promise<void> => {
  const { file, asked, ours, reference, goal, score } = measured
  const peers: PeerRow[] = []
  for (const peer of PHOTO_PEERS) {
    const ladder = openLadder(peer, asked.pixels, reference)
    into.ladders.set(`${peer.name} ${file}`, ladder)
    const { quality, bytes, score: usualScore, ms } = await ladder.at(peer.usual)
    const needs = (await ladder.reach(goal)).quality
    const bytesAtOurScore = await ladder.bytesAt(score)
    peers.push({ name: peer.name, usual: { quality, bytes, score: usualScore, ms }, needs, bytesAtOurScore })
  }
  const opinion = await butteraugli?.ratioAtEqualBytes(asked.pixels, ours.bytes, MOZJPEG.encode)
  const megapixels = (asked.pixels.width * asked.pixels.height) / 1e6
  into.rows.push({
    file,
    megapixels,
    goal,
    ours: ourRow(measured),
    peers,
    ...(opinion === undefined ? {} : { butteraugli: opinion }),
  })
}

/** The worst that a second opinion may be, in terms of mozjpeg's at equal bytes. */
const WORST_OPINION = 1.1

/** Summary of Butteraugli; undefined when it was not measured. */
export const summariseOpinions = ({ rows }: Photographs): string | undefined => {
  const opinions = rows.flatMap(({ butteraugli }) => butteraugli ?? [])
  if (opinions.length === 0) return undefined
  const worse = rows.filter(({ butteraugli }) => (butteraugli ?? 0) > WORST_OPINION).map(({ file }) => file)
  return (
    `Butteraugli's 3-norm in terms of sharp mozjpeg's at equal bytes: ${geometricMean(opinions).toFixed(3)} in the mean, ` +
    `${Math.min(...opinions).toFixed(3)} to ${Math.max(...opinions).toFixed(3)}; above ${WORST_OPINION}: ${worse.join(', ') || 'none'}`
  )
}

const floorOf = async ({ rows, ladders }: Photographs, name: string, share: number) => {
  const needs = rows.map((row) => ({
    file: row.file,
    ours: row.ours.bytes,
    quality: row.peers.find((peer) => peer.name === name)!.needs,
  }))
  return findFloor(easiest(needs, share), async ({ file }, quality) =>
    ladders
      .get(`${name} ${file}`)!
      .at(quality)
      .then(({ bytes }) => bytes),
  )
}

/** One line a peer: bytes of ours in terms of its, for the guarantee and at equal score; CPU in terms of one encode of its. */
export const summarisePhotographs = async (all: Photographs) => {
  const lines = []
  for (const { name } of PHOTO_PEERS) {
    const rows = all.rows.map((row) => ({ ...row, peer: row.peers.find((peer) => peer.name === name)! }))
    const whole = await floorOf(all, name, 1)
    const most = await floorOf(all, name, 0.95)
    const equal = rows.map(({ ours, peer }) => ours.bytes / peer.bytesAtOurScore)
    lines.push({
      peer: name,
      'floor, all': whole.ours / whole.theirs,
      'its quality': whole.quality,
      'floor, 95 %': most.ours / most.theirs,
      'its quality, 95 %': most.quality,
      'equal score, mean': geometricMean(equal),
      'equal score, total': sum(rows, ({ ours }) => ours.bytes) / sum(rows, ({ peer }) => peer.bytesAtOurScore),
      'CPU, median': median(rows.map(({ ours, peer }) => ours.cpu / peer.usual.ms)),
      'missed at its usual': rows.filter(({ goal, peer }) => peer.usual.score < goal).length,
    })
  }
  return lines
}

type Lines = Awaited<ReturnType<typeof summarisePhotographs>>

/** Bytes of every peer at the quality that keeps the promise on each image, ours being 1. */
export const photographBars = (lines: Lines): readonly Bar[] => [
  { name: 'Whittle', value: 1, ours: true },
  ...lines
    .filter(({ peer }) => peer !== 'Next.js')
    .map((line) => ({ name: `${line.peer} at ${line['its quality']}`, value: 1 / line['floor, all'] })),
]

const sum = <T>(of: readonly T[], pick: (one: T) => number): number => of.reduce((all, one) => all + pick(one), 0)
