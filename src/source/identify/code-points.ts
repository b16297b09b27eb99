import type { CodePoints, SourceFacts } from '../../core/image.ts'

/** Colours as a header describes them. */
export type Colours = Pick<SourceFacts, 'profile' | 'codePoints'>

/** ITU-T H.273: primaries BT.709 or unspecified, transfer sRGB or unspecified. */
const SRGB_PRIMARIES: ReadonlySet<number> = new Set([1, 2])
const SRGB_TRANSFERS: ReadonlySet<number> = new Set([2, 13])

/** The colours of code points. */
export const coloursOfCodePoints = (codePoints: CodePoints): Colours =>
  SRGB_PRIMARIES.has(codePoints.primaries) && SRGB_TRANSFERS.has(codePoints.transfer)
    ? { profile: 'srgb' }
    : { profile: 'other', codePoints }
