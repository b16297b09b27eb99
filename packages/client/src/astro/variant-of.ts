import type { ImageSize } from '../build/image-size.ts'
import { backgroundIn, formatIn, qualityIn } from '../read-values.ts'
import { cropOf, type Variant } from '../variant.ts'
import type { ImageTransform } from './types.ts'

const FRACTIONS: Readonly<Record<string, number>> = { left: 0, top: 0, center: 0.5, right: 1, bottom: 1 }

const fractionIn = (word: string | undefined): number | undefined => {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(word ?? '')?.[1]
  const fraction = percent === undefined ? FRACTIONS[word ?? ''] : Number(percent) / 100
  return fraction !== undefined && fraction <= 1 ? fraction : undefined
}

/** The crop of a `position`: `auto`, an edge, two words or percentages as in CSS, or our own form. Fails for anything else. */
const positionIn = (position: string): NonNullable<Variant['crop']> => {
  if (position === 'attention' || position === 'entropy') return 'auto'
  const words = position.trim().split(/[\s-]+/)
  const upright = words[0] === 'top' || words[0] === 'bottom' || words[1] === 'left' || words[1] === 'right'
  const [x, y] = (upright ? words.toReversed() : words).map(fractionIn)
  const crop = cropOf(position) ?? (words.length === 2 && x !== undefined && y !== undefined ? { x, y } : undefined)
  if (crop === undefined)
    throw new Error(`position="${position}" is wrong: expected auto, top, "25% 75%" or 0.25x0.75, or their like.`)
  return crop
}

/** Crops where the shape changes; else the width alone, so that a rounded height does not make the image a pixel narrower. */
const boxIn = (
  { width, height, fit, position }: ImageTransform,
  source: Pick<ImageSize, 'width' | 'height'> | undefined,
): Variant => {
  const keepsShape =
    source !== undefined && width !== undefined && Math.round((width * source.height) / source.width) === height
  if (width === undefined || height === undefined || keepsShape)
    return { ...(width === undefined ? {} : { width }), ...(height === undefined || keepsShape ? {} : { height }) }
  const crops = fit === 'cover' || fit === 'fill'
  return { width, height, ...(crops ? { crop: positionIn(position ?? 'center') } : {}) }
}

/** Astro's attributes as a variant. `fit="cover"` crops, `fill` too, since images are never stretched; all others fit inside. Fails with an Error that says what was expected. */
export const variantOf = (
  transform: ImageTransform,
  source: Pick<ImageSize, 'width' | 'height'> | undefined,
): Variant => {
  const { quality, format, background } = transform
  return {
    ...boxIn(transform, source),
    ...(quality ? { quality: qualityIn(quality) } : {}),
    ...(format === undefined || format === 'svg' ? {} : { format: formatIn(format) }),
    ...(background === undefined ? {} : { background: backgroundIn(background) }),
  }
}
