/**
 * The mark of a lossy result: 11 to 17 bytes with its preset and the loss so far. With it, any engine avoids a second loss. A checksum of
 * 16 bits ties the mark to its image, so it survives copying but not re-encoding.
 */

import type { OutputFormat, ResultMark, SourceFormat } from '../../core/image.ts'
import { PIECE_BYTES } from '../../core/piece-bytes.ts'
import { MARK } from './format.ts'
import { readJpegMark, withJpegMark } from './jpeg.ts'
import { readTrailingMark, type TrailingFormat, withTrailingMark } from './trailing.ts'

const TRAILING: ReadonlySet<string> = new Set<TrailingFormat>(['png', 'gif', 'webp', 'avif'])

const isTrailing = (format: SourceFormat | OutputFormat): format is TrailingFormat => TRAILING.has(format)

/** Reads a part of a file. */
export type ReadPart = (offset: number, length: number) => Promise<Buffer>

/** The mark of a file. undefined without one, or when it belongs to other pixels. Reads at most 64 KB. */
export const readMark = async (
  format: SourceFormat,
  { size, at }: { readonly size: number; readonly at: ReadPart },
): Promise<ResultMark | undefined> => {
  if (format === 'jpeg') return readJpegMark(await at(0, PIECE_BYTES))
  if (!isTrailing(format)) return undefined
  const head = Buffer.from(await at(0, MARK.tailBytes))
  return readTrailingMark(format, { head, tail: await at(Math.max(0, size - MARK.tailBytes), MARK.tailBytes), size })
}

/** Replaces or removes the mark of a file. Formats without marks stay unchanged. */
export const withMark = (format: OutputFormat, file: Uint8Array, mark: ResultMark | undefined): Uint8Array => {
  if (format === 'jpeg') return withJpegMark(file, mark)
  return isTrailing(format) ? withTrailingMark(format, file, mark) : file
}
