import type { Format } from '../tables.ts'

interface FormatNames {
  readonly contentType: string
  readonly extension: string
}

const FORMAT_NAMES: Readonly<Record<Format | 'svg', FormatNames>> = {
  png: { contentType: 'image/png', extension: 'png' },
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  gif: { contentType: 'image/gif', extension: 'gif' },
  webp: { contentType: 'image/webp', extension: 'webp' },
  avif: { contentType: 'image/avif', extension: 'avif' },
  jxl: { contentType: 'image/jxl', extension: 'jxl' },
  svg: { contentType: 'image/svg+xml', extension: 'svg' },
  webm: { contentType: 'video/webm', extension: 'webm' },
  h264: { contentType: 'video/mp4', extension: 'mp4' },
}

/** Returns the media type of a format. */
export const contentTypeOf = (format: Format | 'svg'): string => FORMAT_NAMES[format].contentType

/** Returns the file extension of a media type; `bin` for an unknown type. */
export const extensionOf = (contentType: string): string =>
  Object.values(FORMAT_NAMES).find((names) => names.contentType === contentType.split(';')[0])?.extension ?? 'bin'
