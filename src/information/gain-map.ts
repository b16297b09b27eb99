import type { SourceFacts, SourceFormat } from '../core/image.ts'

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Bytes in which the boxes before the pixels end. */
const HEAD_BYTES = 1_000_000

/** What headers alone do not tell. */
const BY_FORMAT: Partial<Record<SourceFormat, (file: Buffer) => boolean>> = {
  // A box of its own (ISO 18181-2).
  jxl: (file) => file.readUInt32BE(0) === 12 && file.subarray(0, HEAD_BYTES).includes(latin1('jhgm')),
}

/** Whether a file brings a gain map, by what it announces. */
export const hasGainMap = ({ format, gainMap }: SourceFacts, file: Buffer): boolean =>
  gainMap === true || (file.length > 12 && (BY_FORMAT[format]?.(file) ?? false))
