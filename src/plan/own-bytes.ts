import type { SourceFacts } from '../core/image.ts'
import type { Plan } from './plan.ts'

/**
 * Whether the source's own bytes or coefficients may be the result: nothing is asked of its pixels, and its format is allowed. Not
 * every browser turns a WebP by its Orientation tag: such a one has to be made anew.
 */
export const mayReturnOwn = ({ facts, plan }: { readonly facts: SourceFacts; readonly plan: Plan }): boolean =>
  plan.resize.kind === 'full' &&
  !plan.trim &&
  !(facts.format === 'webp' && facts.orientation > 1) &&
  (plan.neverLarger || plan.formats.some((format) => format === facts.format))
