import { basename } from 'node:path'
import type { Ssimulacra2, Ssimulacra2Reference } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { goalFor } from '../../src/plan/targets.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { type Asked, ask } from './ask.ts'
import { makeOurs, type Ours } from './ours.ts'

/** One request, answered and judged by the exact metric. */
export interface Measured extends Disposable {
  readonly file: string
  readonly asked: Asked
  readonly ours: Ours
  /** Reference pixels of the result, prepared for comparing peers. */
  readonly reference: Ssimulacra2Reference
  /** The score that was promised, with its margin; 100 where no pixel may change. */
  readonly goal: number
  /** Of the returned bytes, decoded. */
  readonly score: number
}

/** Our own result in the tables. */
export interface OurRow {
  readonly format: string
  readonly bytes: number
  readonly score: number
  readonly encodes: number
  readonly cpu: number
}

const goalOf = ({ plan: { target } }: Asked): number => (target.kind === 'score' ? goalFor(target.score) : 100)

/** Sends a source through planning and the engine with these options, and judges what comes back. */
export const measure = async (metric: Ssimulacra2, path: string, options: string): Promise<Measured> => {
  const asked = await ask(path, options)
  const ours = await makeOurs(asked)
  const reference = metric.prepare(asked.pixels, 'exact')
  return {
    file: basename(path),
    asked,
    ours,
    reference,
    goal: goalOf(asked),
    score: reference.compare(await toPixels(ours.bytes)),
    [Symbol.dispose]: () => reference.free(),
  }
}

export const ourRow = ({ ours, score }: Measured): OurRow => {
  const { format, bytes, encodes } = ours.result
  return { format, bytes, score, encodes, cpu: ours.cpu }
}
