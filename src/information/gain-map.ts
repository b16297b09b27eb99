import type { SourceFacts, SourceFormat } from '../core/image.ts'

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Bytes that hold the boxes before the pixels. */
const HEAD_BYTES = 1_000_000

/** Checks of the file for formats whose header reader does not detect gain maps. */
const BY_FORMAT: Partial<Record<SourceFormat, (file: Buffer) => boolean>> = {
  // A box `jhgm` (ISO 18181-2).
  jxl: (file) => file.readUInt32BE(0) === 12 && file.subarray(0, HEAD_BYTES).includes(latin1('jhgm')),
}

/** Whether a file declares a gain map. */
export const hasGainMap = ({ format, gainMap }: SourceFacts, file: Buffer): boolean =>
  gainMap === true || (file.length > 12 && (BY_FORMAT[format]?.(file) ?? false))
