import { asDisplayP3 } from '../../containers/display-p3.ts'
import type { StillFormat } from '../../core/image.ts'
import { withP3Header } from '../../jxl/p3-header.ts'
import type { Plan } from '../../plan/plan.ts'
import { colourInGamut } from '../../raster/colour/gamut.ts'
import { AS_IT_IS, type Complete } from './best-result.ts'

/** Returns the plan with its background in the gamut of its pixels. */
export const inOwnGamut = (plan: Plan): Plan =>
  plan.gamut === undefined || plan.background === 'transparent'
    ? plan
    : { ...plan, background: colourInGamut(plan.background, plan.gamut) }

/** Labels results with a gamut other than sRGB. The source's own bytes have their own label. */
export const openGamut = ({ gamut }: Plan): Complete =>
  gamut === undefined
    ? AS_IT_IS
    : async ({ format, data, untouched, width, height }) => {
        if (untouched === true) return data
        return format === 'jxl' ? withP3Header(data, { width, height }) : asDisplayP3(format as StillFormat, data)
      }
