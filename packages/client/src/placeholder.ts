import type { ImageInformation } from './tables.ts'

/** A placeholder, under the names of Next.js (`blurDataURL`) and ThumbHash, with the image's size. */
export interface Placeholder {
  /** Pixels of the source, as it is shown: an `<img>` with both moves nothing when it arrives. */
  readonly width: number
  readonly height: number
  /** The image in at most 16 px a side, as a data URL of about 150 characters (`lqip`). */
  readonly blurDataURL: string
  /** ThumbHash in base64, about 25 bytes. */
  readonly thumbHash: string
  /** `#rrggbb` */
  readonly dominantColour: string
}

/** The placeholder from the service's description of an image. */
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

/** Kinds of placeholder: the image itself, tiny and blurred by enlargement, or its dominant colour. */
export const PLACEHOLDERS = ['blur', 'color'] as const
export type PlaceholderKind = (typeof PLACEHOLDERS)[number]

/** CSS declarations that show a placeholder behind an `<img>`. */
export const placeholderStyle = (kind: PlaceholderKind, { blurDataURL, dominantColour }: Placeholder): string =>
  kind === 'color'
    ? `background-color:${dominantColour}`
    : `background:${dominantColour} url(${blurDataURL}) center/cover no-repeat`
