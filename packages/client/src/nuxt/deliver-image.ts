import { type Delivered, type DeliverySource, deliver } from '../delivered.ts'
import { backgroundIn, formatIn, qualityIn } from '../read-values.ts'
import { cropOf, type Variant } from '../variant.ts'
import type { NuxtModifiers, NuxtSettings } from './types.ts'

const given = <Value>(value: Value | undefined): value is Value => value !== undefined && value !== ''

const cropIn = (text: string): NonNullable<Variant['crop']> => {
  const crop = cropOf(text)
  if (crop === undefined) throw new Error(`crop="${text}" is wrong: expected auto, top, 0.5x0.3, or their like.`)
  return crop
}

/** `cover`, the default of CSS and of Nuxt Image, crops where both sides are given. */
const shapeOf = ({ width, height, fit = 'cover', crop }: NuxtModifiers): Variant => {
  const size = { ...(given(width) ? { width } : {}), ...(given(height) ? { height } : {}) }
  if (!given(width) || !given(height)) return size
  if (given(crop)) return { ...size, crop: cropIn(crop) }
  return fit === 'cover' || fit === 'fill' ? { ...size, crop: 'centre' } : size
}

/** Nuxt Image's modifiers as a variant. Fails with an Error that says what was expected. */
const variantOf = (modifiers: NuxtModifiers): Variant => {
  const { quality, format, background } = modifiers
  return {
    ...shapeOf(modifiers),
    ...(given(quality) ? { quality: qualityIn(quality) } : {}),
    ...(given(format) && format !== 'svg' ? { format: formatIn(format) } : {}),
    ...(given(background) ? { background: backgroundIn(background) } : {}),
  }
}

/** Checks that the required settings are there. */
export const settingsOf = ({ base, account, site }: Partial<NuxtSettings>): DeliverySource => {
  if (base === undefined || account === undefined)
    throw new Error('Set base and account in the options of the Whittle provider in nuxt.config.')
  return { base, account, site }
}

/** The request of one image of a page. */
export const deliverImage = (settings: DeliverySource, src: string, modifiers: NuxtModifiers = {}): Delivered =>
  deliver(settings, src, variantOf(modifiers))
