import type { ImageSize } from '../build/image-size.ts'
import { parseBackground, parseFormat, parseQuality } from '../read-values.ts'
import { cropOf, type Variant } from '../variant.ts'
import type { ImageTransform } from './types.ts'

const FRACTIONS: Readonly<Record<string, number>> = { left: 0, top: 0, center: 0.5, right: 1, bottom: 1 }

const parseFraction = (word: string | undefined): number | undefined => {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(word ?? '')?.[1]
  const fraction = percent === undefined ? FRACTIONS[word ?? ''] : Number(percent) / 100
  return fraction !== undefined && fraction <= 1 ? fraction : undefined
}

/** Parses `position`: `auto`, an edge, two words or percentages of CSS, or a point such as `0.25x0.75`. Fails with an Error for any other text. */
const parsePosition = (position: string): NonNullable<Variant['crop']> => {
  if (position === 'attention' || position === 'entropy') return 'auto'
  const words = position.trim().split(/[\s-]+/)
  const isVerticalFirst = words[0] === 'top' || words[0] === 'bottom' || words[1] === 'left' || words[1] === 'right'
  const [x, y] = (isVerticalFirst ? words.toReversed() : words).map(parseFraction)
  const crop = cropOf(position) ?? (words.length === 2 && x !== undefined && y !== undefined ? { x, y } : undefined)
  if (crop === undefined)
    throw new Error(`position="${position}" is wrong: expected auto, top, "25% 75%", 0.25x0.75 or similar.`)
  return crop
}

/** Returns a box with a crop if the aspect ratio changes. Otherwise returns the width alone: a rounded height could make the image a pixel narrower. */
const boxIn = (
  { width, height, fit, position }: ImageTransform,
  source: Pick<ImageSize, 'width' | 'height'> | undefined,
): Variant => {
  const keepsRatio =
    source !== undefined && width !== undefined && Math.round((width * source.height) / source.width) === height
  if (width === undefined || height === undefined || keepsRatio)
    return { ...(width === undefined ? {} : { width }), ...(height === undefined || keepsRatio ? {} : { height }) }
  const crops = fit === 'cover' || fit === 'fill'
  return { width, height, ...(crops ? { crop: parsePosition(position ?? 'center') } : {}) }
}

/**
 * Converts Astro's attributes to a variant. `fit="cover"` crops; `fill` also crops, since the service never stretches an
 * image. Every other `fit` fits inside the box. Fails with an Error that names the accepted values.
 */
export const variantOf = (
  transform: ImageTransform,
  source: Pick<ImageSize, 'width' | 'height'> | undefined,
): Variant => {
  const { quality, format, background } = transform
  return {
    ...boxIn(transform, source),
    ...(quality ? { quality: parseQuality(quality) } : {}),
    ...(format === undefined || format === 'svg' ? {} : { format: parseFormat(format) }),
    ...(background === undefined ? {} : { background: parseBackground(background) }),
  }
}
