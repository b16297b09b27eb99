import type { StillFormat } from '../core/image.ts'
import type { Candidate, SearchRequest } from './format.ts'
import { toPixels } from './raw.ts'

/** Settings of a palette encode: at most `colours` entries, error diffusion of strength `dither` (0..1). */
export interface Palette {
  readonly colours: number
  readonly dither: number
}

export interface PaletteEncoder {
  readonly format: StillFormat
  readonly encode: (palette: Palette) => Promise<Uint8Array>
  /** Lossless recompression of a winner. */
  readonly finish?: (bytes: Uint8Array) => Promise<Uint8Array>
}

/** Palette sizes worth trying, falling; below 8 nothing but flat drawings survives, and those are lossless already. */
const SIZES = [256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 4, 2]
const DITHERS = [0, 0.6, 1]
/** The largest palette that weighs so many times the best result so far has no smaller kin that passes and wins. */
const HOPELESS = 3

interface Tried {
  readonly bytes: Uint8Array
  readonly score: number
}

/**
 * Searches the smallest palette image that reaches the goal: for each dithering the smallest passing palette by bisection
 * over falling sizes. Every yielded candidate was decoded and judged on these very bytes.
 */
export async function* searchPalette(request: SearchRequest, encoder: PaletteEncoder): AsyncGenerator<Candidate> {
  if (request.wanted.kind !== 'score') return
  const { goal } = request.wanted
  let best: Tried | undefined
  for (const dither of DITHERS) {
    let low = 0
    let high = SIZES.length - 1
    while (low <= high && !request.deadline.signal.aborted) {
      // The largest palette first: when it fails, no smaller one passes.
      const at = low === 0 && best === undefined && high === SIZES.length - 1 ? 0 : (low + high) >> 1
      const tried = await attempt(request, encoder, { colours: SIZES[at]!, dither })
      if (tried.bytes.length > request.beat() * HOPELESS) return
      if (tried.score >= goal.score) {
        if (tried.bytes.length < (best?.bytes.length ?? request.beat())) {
          best = tried
          yield { format: encoder.format, ...tried, lossless: false }
        }
        low = at + 1
      } else {
        high = at - 1
      }
    }
  }
  if (best === undefined || encoder.finish === undefined || request.deadline.signal.aborted) return
  const bytes = await encoder.finish(best.bytes)
  if (bytes.length < best.bytes.length) yield { format: encoder.format, bytes, score: best.score, lossless: false }
}

const attempt = async (request: SearchRequest, encoder: PaletteEncoder, palette: Palette): Promise<Tried> => {
  const bytes = await encoder.encode(palette)
  request.encoded()
  return { bytes, score: request.judge(await toPixels(bytes)) }
}
