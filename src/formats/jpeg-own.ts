import type { AnyRaster, StillFormat } from '../core/image.ts'
import type { CoefficientForm } from '../jpeg/quantiser/encoder.ts'
import type { FoundJpeg, JpegGoal } from '../jpeg/search/goal.ts'
import { searchJpeg } from '../jpeg/search/search-jpeg.ts'
import type { Reference } from '../jpeg/search/trials.ts'
import { MAX_COUNTED_COLOURS } from '../raster/survey.ts'
import type { Budget } from '../search/budget.ts'
import type { Candidate, Examined, SearchRequest } from './format.ts'

/** A format for the coefficients that the search finds: how they are written and decoded. */
export interface JpegForm {
  readonly format: StillFormat
  /** How the search decodes and writes coefficients; as a JPEG when absent. */
  readonly coefficients?: CoefficientForm
  /** Another encoder's JPEG in this form. */
  readonly fromJpeg: (jpeg: Uint8Array) => Uint8Array
  /** The pixels that are shown of the file that was written last. */
  readonly pixelsOf: (file: Uint8Array) => Promise<AnyRaster>
  /** The least share of the JPEG's bytes that it takes. */
  readonly minShare: number
}

/** A request's metrics as the search asks for them, and all that was examined, in the order of its comparisons. */
const referenceOf = (
  request: Pick<SearchRequest, 'examine' | 'ssimulacra2' | 'tileScore'>,
): { readonly reference: Reference; readonly examined: readonly Examined[] } => {
  const examined: Examined[] = []
  const butteraugli = (shown: AnyRaster): number => {
    examined.push(request.examine(shown))
    return examined.at(-1)!.distance ?? Number.POSITIVE_INFINITY
  }
  return { reference: { compare: request.ssimulacra2, tileScore: request.tileScore, butteraugli }, examined }
}

/** The goal of a search by our own encoder; undefined where no loss is allowed. */
const goalOf = (form: JpegForm, request: SearchRequest): JpegGoal | undefined => {
  const { features, mostButteraugli, bytesToBeat, wanted } = request
  if (wanted.kind === 'lossless') return undefined
  return {
    target: wanted.goal.score,
    butteraugli: mostButteraugli,
    maxBytes: bytesToBeat() / form.minShare,
    ...(form.coefficients === undefined ? {} : { form: form.coefficients }),
    isDrawing: features.colours <= MAX_COUNTED_COLOURS,
    ...(features.grey ? { subsamplings: ['4:2:0'] } : {}),
  }
}

/** A file of our own encoder with what was measured of it. */
export interface OwnJpeg {
  readonly found: FoundJpeg
  readonly candidate: Candidate
}

/**
 * Searches with our own encoder, closed over the metrics. Its trials show what every decoder makes of the file, so that what was examined of
 * them holds for the file. Yields ever better files.
 */
export async function* searchOwn(
  form: JpegForm,
  request: SearchRequest,
  deadline: Budget['deadline'],
): AsyncGenerator<OwnJpeg> {
  const { reference, examined } = referenceOf(request)
  const goal = goalOf(form, request)
  if (goal === undefined) return
  for (const found of searchJpeg(request.pixels, reference, { ...goal, deadline })) {
    const { bytes, comparison } = found
    request.encoded()
    const known = comparison === undefined ? request.examine(await form.pixelsOf(bytes)) : examined[comparison]!
    yield { found, candidate: { kind: 'candidate', format: form.format, bytes, examined: known, lossless: false } }
  }
}
