import type { Raster, StillFormat } from '../core/image.ts'
import { toPixels } from '../raster/raw.ts'
import type { Candidate, Examined, SearchRequest } from './format.ts'

/** An image that keeps the promise, as it looks and what was measured of it. */
export interface Proven {
  readonly shown: Raster
  readonly examined: Examined
}

/** A candidate of bytes that should show what was proven, decoded: what shows the same pixels was measured already. */
export const verified = async (
  { examine }: Pick<SearchRequest, 'examine'>,
  format: StillFormat,
  { bytes, shown, examined }: Proven & { readonly bytes: Uint8Array },
): Promise<Candidate> => {
  const decoded = await toPixels(bytes)
  const isSame = decoded.channels === shown.channels && Buffer.compare(decoded.data, shown.data) === 0
  return { kind: 'candidate', format, bytes, lossless: false, examined: isSame ? examined : examine(decoded) }
}
