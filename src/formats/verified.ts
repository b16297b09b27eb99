import type { Raster, StillFormat } from '../core/image.ts'
import { toPixels } from '../raster/raw.ts'
import type { Candidate, Examined, SearchRequest } from './format.ts'
import { type Indexed, shows } from './palette/remap.ts'

/** An image that keeps the promise, as it looks and what was measured of it. */
export interface Proven<Shown extends Raster | Indexed = Raster | Indexed> {
  readonly shown: Shown
  readonly examined: Examined
}

const isSame = (decoded: Raster, shown: Raster | Indexed): boolean =>
  'indices' in shown
    ? shows(decoded, shown)
    : decoded.channels === shown.channels && Buffer.compare(decoded.data, shown.data) === 0

/** A candidate of bytes that should show what was proven, decoded: what shows the same pixels was measured already. */
export const verified = async (
  { examine }: Pick<SearchRequest, 'examine'>,
  format: StillFormat,
  { bytes, shown, examined }: Proven & { readonly bytes: Uint8Array },
): Promise<Candidate> => {
  const decoded = await toPixels(bytes)
  const known = isSame(decoded, shown) ? examined : examine(decoded)
  return { kind: 'candidate', format, bytes, lossless: false, examined: known }
}

/** The same where it is smaller than the best file. */
export async function* smaller(
  request: Pick<SearchRequest, 'examine' | 'bytesToBeat'>,
  format: StillFormat,
  proven: Proven & { readonly bytes: Uint8Array },
): AsyncGenerator<Candidate> {
  if (proven.bytes.length < request.bytesToBeat()) yield await verified(request, format, proven)
}
