import type { Raster } from '../../src/core/image.ts'
import type { MetricReference, Scores } from '../../src/metric/metrics.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { median } from '../corpus/floor.ts'
import { timed } from '../corpus/timed.ts'
import type { EyePeer } from './peers.ts'

/** Result of a peer's setting. */
export interface EyeRung {
  readonly quality: number
  readonly bytes: number
  readonly shown: Raster
  readonly scores: Scores
  /** CPU of the encode, ms. */
  readonly ms: number
}

/** A figure that grows with quality. */
export type Rising = (rung: EyeRung) => number | Promise<number>

/** A peer on one image; settings tried are kept. */
export interface EyeLadder {
  readonly at: (quality: number) => Promise<EyeRung>
  /** The lowest quality whose figure is at least `least`; 100 when none is. */
  readonly reach: (figure: Rising, least: number) => Promise<EyeRung>
  /** The figure `wanted` where the figure `where` equals `is`: interpolated between the two settings that bracket it; NaN beyond 1 and 100. */
  readonly read: (wanted: Rising, where: Rising, is: number) => Promise<number>
  /** CPU of an encode in ms, the median of all so far. */
  readonly cpu: () => number
}

export const openEyeLadder = (peer: EyePeer, pixels: Raster, reference: MetricReference): EyeLadder => {
  const rungs = new Map<number, EyeRung>()
  const at = async (quality: number): Promise<EyeRung> => {
    const known = rungs.get(quality)
    if (known) return known
    const { ms, value: file } = await timed(() => peer.encode(pixels, quality))
    const shown = await (peer.decode ?? toPixels)(file)
    const rung = { quality, bytes: file.length, shown, scores: reference.measure(shown), ms }
    rungs.set(quality, rung)
    return rung
  }
  const reach: EyeLadder['reach'] = async (figure, least) => {
    let [low, high] = [1, 100]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((await figure(await at(middle))) >= least) high = middle
      else low = middle + 1
    }
    return at(high)
  }
  const read: EyeLadder['read'] = async (wanted, where, is) => {
    const above = await reach(where, is)
    const below = await at(Math.max(1, above.quality - 1))
    const [low, high] = [await where(below), await where(above)]
    if (high < is || low > is) return Number.NaN
    const part = high > low ? (is - low) / (high - low) : 1
    const first = await wanted(below)
    return first + part * ((await wanted(above)) - first)
  }
  const cpu = (): number => median([...rungs.values()].map(({ ms }) => ms))
  return { at, reach, read, cpu }
}
