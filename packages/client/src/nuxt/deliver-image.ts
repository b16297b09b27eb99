import { type Delivered, type DeliverySource, deliver } from '../delivered.ts'
import { parseBackground, parseFormat, parseQuality } from '../read-values.ts'
import { cropOf, type Variant } from '../variant.ts'
import type { NuxtModifiers, NuxtSettings } from './types.ts'

const isGiven = <Value>(value: Value | undefined): value is Value => value !== undefined && value !== ''

const parseCrop = (text: string): NonNullable<Variant['crop']> => {
  const crop = cropOf(text)
  if (crop === undefined) throw new Error(`crop="${text}" is wrong: expected auto, top, 0.5x0.3 or similar.`)
  return crop
}

/** Returns size and crop. `cover`, the default of CSS and of Nuxt Image, crops if both sides are given. */
const boxOf = ({ width, height, fit = 'cover', crop }: NuxtModifiers): Variant => {
  const size = { ...(isGiven(width) ? { width } : {}), ...(isGiven(height) ? { height } : {}) }
  if (!isGiven(width) || !isGiven(height)) return size
  if (isGiven(crop)) return { ...size, crop: parseCrop(crop) }
  return fit === 'cover' || fit === 'fill' ? { ...size, crop: 'centre' } : size
}

/** Converts Nuxt Image's modifiers to a variant. Fails with an Error that names the accepted values. */
const variantOf = (modifiers: NuxtModifiers): Variant => {
  const { quality, format, background } = modifiers
  return {
    ...boxOf(modifiers),
    ...(isGiven(quality) ? { quality: parseQuality(quality) } : {}),
    ...(isGiven(format) && format !== 'svg' ? { format: parseFormat(format) } : {}),
    ...(isGiven(background) ? { background: parseBackground(background) } : {}),
  }
}

/** Returns the settings. Fails with an Error without `base` or `account`. */
export const settingsOf = ({ base, account, site }: Partial<NuxtSettings>): DeliverySource => {
  if (base === undefined || account === undefined)
    throw new Error('Set base and account in the options of the Whittle provider in nuxt.config.')
  return { base, account, site }
}

/** Creates the request for one image of a page. Fails with an Error for a wrong modifier, or without a `site` for an image without a host. */
export const deliverImage = (settings: DeliverySource, src: string, modifiers: NuxtModifiers = {}): Delivered =>
  deliver(settings, src, variantOf(modifiers))
