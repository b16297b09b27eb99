import { CONTENT_TYPES, type OutputFormat, type SourceFormat } from './image.ts'

/** The usual extension of files of a format, without its dot. */
export const FILE_EXTENSIONS: Readonly<Record<SourceFormat | OutputFormat, string>> = {
  jpeg: 'jpg',
  png: 'png',
  gif: 'gif',
  svg: 'svg',
  webp: 'webp',
  avif: 'avif',
  tiff: 'tiff',
  heic: 'heic',
  jxl: 'jxl',
  bmp: 'bmp',
  ico: 'ico',
  psd: 'psd',
  webm: 'webm',
  h264: 'mp4',
}

const BY_CONTENT_TYPE: ReadonlyMap<string, string> = new Map(
  Object.entries(CONTENT_TYPES).map(([format, type]) => [
    type,
    FILE_EXTENSIONS[format as keyof typeof FILE_EXTENSIONS],
  ]),
)

/** The usual extension of a Content-Type, whose parameters are ignored; undefined for a type that is no image or video of ours. */
export const extensionOf = (contentType: string): string | undefined =>
  BY_CONTENT_TYPE.get(contentType.split(';', 1)[0]!)
