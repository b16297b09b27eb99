import type { StillFormat } from '../core/image.ts'
import type { Plan } from './plan.ts'
import { isMostlyFlat, type PixelFacts } from './shortlist.ts'

/** Why these pixels do not allow the preferred format. undefined when they do. */
const obstacle = (isJpeg: boolean, facts: PixelFacts): string | undefined => {
  if (!facts.opaque) return 'JPEG XL is only made from opaque images'
  return !isJpeg && isMostlyFlat(facts) ? 'JPEG XL is not made from drawings' : undefined
}

/**
 * Settles a plan's formats once its pixels are known: the preferred format alone if they allow it, else the others, with a Warning.
 * Drawings are smaller in other formats, except for a drawing in a JPEG, whose coefficients are kept.
 */
export const settlePreferred = (
  plan: Plan,
  isJpeg: boolean,
  facts: PixelFacts,
): { readonly plan: Plan; readonly warnings: readonly string[] } => {
  const { preferred } = plan
  if (preferred === undefined) return { plan, warnings: [] }
  const why = obstacle(isJpeg, facts)
  if (why === undefined) return { plan: { ...plan, formats: [preferred] }, warnings: [] }
  return { plan: insteadOf(plan, preferred), warnings: [`${why}; ${INSTEAD}`] }
}

const INSTEAD = 'this is the next best format.'

/** The plan without a format. */
export const insteadOf = ({ preferred: _preferred, ...plan }: Plan, format: StillFormat): Plan => ({
  ...plan,
  formats: plan.formats.filter((other) => other !== format),
})
