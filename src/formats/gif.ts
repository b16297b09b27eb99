import type { Raster } from '../core/image.ts'
import { fromPixels, toPixels } from '../raster/raw.ts'
import type { SearchRequest, Step, StillCodec } from './format.ts'
import type { Indexed } from './palette/remap.ts'
import { show } from './palette/remap.ts'
import { writeIndexedPng } from './palette/write-png.ts'
import { searchPalette } from './palette-search.ts'

const encode = (pixels: Raster, colours: number, dither: number): Promise<Uint8Array> =>
  fromPixels(pixels)
    .gif({ colours: Math.min(256, Math.max(2, colours)), dither, effort: 7 })
    .toBuffer()

/** LZW and deflate live on the same repetition: what is smaller as one is so as the other. */
const estimate = (image: Indexed): number => writeIndexedPng(image, 1).length

async function* search(request: SearchRequest): AsyncGenerator<Step> {
  const { pixels, features, wanted } = request
  const bytes = await encode(pixels, features.colours, features.colours <= 256 ? 0 : 1)
  request.encoded()
  yield { kind: 'candidate', format: 'gif', bytes, examined: request.examine(await toPixels(bytes)), lossless: false }
  if (wanted.kind === 'score') {
    // One entry more than the palette: libvips keeps one for transparency.
    const indexed = (image: Indexed) => encode(show(image, pixels.channels), image.table.length / 4 + 1, 0)
    yield* searchPalette(request, { format: 'gif', estimate, encode: indexed })
  }
}

/** Still GIF: only when asked for by `format=gif`. */
export const gif: StillCodec = { format: 'gif', search }
