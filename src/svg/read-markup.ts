import { gunzipSync } from 'node:zlib'
import { fail } from '../core/failure.ts'
import { SVG_LIMITS } from './limits.ts'

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Decompresses SVGZ up to the limit. The size in the gzip trailer is not trusted. */
const unpack = (bytes: Uint8Array): Uint8Array => {
  if (!isGzip(bytes)) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: SVG_LIMITS.bytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw fail('SOURCE_TOO_HEAVY', SVG_LIMITS.bytes)
    throw fail('SOURCE_DAMAGED')
  }
}

const BYTE_ORDER_MARKS: readonly (readonly [label: string, ...bytes: number[]])[] = [
  ['utf-8', 0xef, 0xbb, 0xbf],
  ['utf-16le', 0xff, 0xfe],
  ['utf-16be', 0xfe, 0xff],
  // No byte order mark, but "<" in two bytes.
  ['utf-16le', 0x3c, 0x00],
  ['utf-16be', 0x00, 0x3c],
]

const declaredEncoding = (bytes: Uint8Array): string => {
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  return /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(start)?.[1] ?? 'utf-8'
}

const encodingOf = (bytes: Uint8Array): string =>
  BYTE_ORDER_MARKS.find(([, ...mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0] ?? declaredEncoding(bytes)

const decoderFor = (label: string): InstanceType<typeof TextDecoder> => {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder('utf-8')
  }
}

/** The text of an SVG or SVGZ file in any encoding, without byte order mark. Fails with SOURCE_TOO_HEAVY or SOURCE_DAMAGED. */
export const readMarkup = (file: Uint8Array): string => {
  const bytes = unpack(file)
  if (bytes.length > SVG_LIMITS.bytes) throw fail('SOURCE_TOO_HEAVY', SVG_LIMITS.bytes)
  return decoderFor(encodingOf(bytes)).decode(bytes)
}
