import type { Raster } from '../../src/core/image.ts'
import type { Ssimulacra2Reference } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { toPixels } from '../../src/raster/raw.ts'
import type { Peer } from './peers.ts'
import { timed } from './timed.ts'

/** Result of a peer's setting. */
export interface Rung {
  readonly quality: number
  readonly bytes: number
  readonly score: number
  /** CPU ms of the encode. */
  readonly ms: number
}

/** A peer on one image: settings tried are kept, so that nothing is encoded twice. */
export interface Ladder {
  readonly at: (quality: number) => Promise<Rung>
  /** The lowest quality whose score is at least `score`, by bisection; 100 when none is. */
  readonly reach: (score: number) => Promise<Rung>
  /** Bytes at exactly this score: by bisection, then interpolated between the two settings around it. */
  readonly bytesAt: (score: number) => Promise<number>
}

export const openLadder = (peer: Peer, pixels: Raster, reference: Ssimulacra2Reference): Ladder => {
  const rungs = new Map<number, Rung>()
  const at = async (quality: number): Promise<Rung> => {
    const known = rungs.get(quality)
    if (known !== undefined) return known
    const { ms, value } = await timed(() => peer.encode(pixels, quality))
    const rung = { quality, bytes: value.length, score: reference.compare(await toPixels(value)), ms }
    rungs.set(quality, rung)
    return rung
  }
  const reach = async (score: number): Promise<Rung> => {
    let low = 1
    let high = 100
    while (low < high) {
      const middle = (low + high) >> 1
      if ((await at(middle)).score >= score) high = middle
      else low = middle + 1
    }
    return at(high)
  }
  const bytesAt = async (score: number): Promise<number> => {
    const above = await reach(score)
    const below = await at(Math.max(1, above.quality - 1))
    const part = (score - below.score) / (above.score - below.score)
    if (above.score <= below.score || above.score < score) return above.bytes
    return Math.exp(Math.log(below.bytes) + part * Math.log(above.bytes / below.bytes))
  }
  return { at, reach, bytesAt }
}
