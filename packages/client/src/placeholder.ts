import type { ImageInformation } from './tables.ts'

/** A placeholder and the size of its image. The names are those of Next.js (`blurDataURL`) and ThumbHash. */
export interface Placeholder {
  /** Size of the upright source in pixels. An `<img>` with both sides reserves its space in the page. */
  readonly width: number
  readonly height: number
  /** The image scaled down to at most 16 px a side, as a data URL of about 150 characters (`lqip`). */
  readonly blurDataURL: string
  /** ThumbHash in base64, about 25 bytes. */
  readonly thumbHash: string
  /** `#rrggbb` */
  readonly dominantColour: string
}

/** Picks the placeholder from the service's description of an image. */
export const placeholderOf = ({
  width,
  height,
  preview,
  thumbHash,
  dominantColour,
}: ImageInformation): Placeholder => ({
  width,
  height,
  blurDataURL: preview,
  thumbHash,
  dominantColour,
})

/** Kinds of placeholder: a tiny copy of the image that the browser enlarges, or the dominant colour. */
export const PLACEHOLDERS = ['blur', 'color'] as const
export type PlaceholderKind = (typeof PLACEHOLDERS)[number]

/** Returns CSS declarations that show a placeholder behind an `<img>`. */
export const placeholderStyle = (kind: PlaceholderKind, { blurDataURL, dominantColour }: Placeholder): string =>
  kind === 'color'
    ? `background-color:${dominantColour}`
    : `background:${dominantColour} url(${blurDataURL}) center/cover no-repeat`
