import type { Pixels, StillFormat } from '../core/image.ts'
import { type Axis, nextProbe, type Probe } from '../plan/probe.ts'
import type { Candidate, SearchRequest } from './format.ts'
import { toPixels } from './raw.ts'

/** A lossy encoder with one quality setting. */
export interface QualityEncoder {
  readonly format: StillFormat
  readonly axis: Axis
  readonly encode: (pixels: Pixels, setting: number) => Promise<Uint8Array>
}

/** Full encodes in a search; more only while nothing has reached the goal. */
const MOST_ENCODES = 3

/**
 * Searches the lowest setting that reaches the goal; every candidate was decoded and judged. Candidates that miss the
 * goal are yielded too (the caller may have nothing better), never one that is larger than what is already verified.
 */
export async function* searchQuality(encoder: QualityEncoder, request: SearchRequest): AsyncGenerator<Candidate> {
  if (request.wanted.kind === 'lossless') return
  const { goal } = request.wanted
  const probes: Probe[] = []
  for (;;) {
    const next = nextProbe(encoder.axis, goal, probes, MOST_ENCODES)
    if (next.kind === 'stop' || request.deadline.signal.aborted) return
    const bytes = await encoder.encode(request.pixels, next.setting)
    request.encoded()
    // Too large although below the goal: every setting that passes is larger still.
    const score = request.judge(await toPixels(bytes))
    probes.push({ setting: next.setting, score })
    yield { format: encoder.format, bytes, score, lossless: false }
    if (score < goal.score && bytes.length >= request.beat()) return
  }
}
