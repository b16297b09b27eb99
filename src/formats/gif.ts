import type { Candidate, SearchRequest, StillCodec } from './format.ts'
import { searchPalette } from './palette-search.ts'
import { fromPixels, toPixels } from './raw.ts'

async function* search(request: SearchRequest): AsyncGenerator<Candidate> {
  const { pixels, traits, wanted } = request
  const encode = (colours: number, dither: number): Promise<Uint8Array> =>
    fromPixels(pixels)
      .gif({ colours: Math.max(2, colours), dither, effort: 7 })
      .toBuffer()
  const first = await encode(Math.min(256, traits.colours), traits.colours <= 256 ? 0 : 1)
  request.encoded()
  yield { format: 'gif', bytes: first, score: request.judge(await toPixels(first)), lossless: false }
  if (wanted.kind === 'score') {
    yield* searchPalette(request, { format: 'gif', encode: ({ colours, dither }) => encode(colours, dither) })
  }
}

/** Still GIF: only when asked for by `format=gif`. */
export const gif: StillCodec = { format: 'gif', alpha: true, maxSide: 65535, search }
