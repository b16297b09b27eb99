import type { SourceFacts } from '../core/image.ts'
import type { Plan } from './plan.ts'

/** The formats of the result that are possible without knowledge of the pixels. */
const allowedFormats = ({ preferred, formats }: Plan) => (preferred === undefined ? formats : [preferred])

/**
 * Whether the source's own bytes or coefficients may be the result: its pixels stay as they are, and its format is allowed. A WebP with
 * an Orientation tag is excluded, since not every browser applies the tag.
 */
export const mayReturnOwn = ({ facts, plan }: { readonly facts: SourceFacts; readonly plan: Plan }): boolean =>
  plan.resize.kind === 'full' &&
  !plan.trim &&
  !(facts.format === 'webp' && facts.orientation > 1) &&
  (plan.neverLarger || allowedFormats(plan).some((format) => format === facts.format))
