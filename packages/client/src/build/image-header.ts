/** Whether bytes begin as an image that the service reads: by signatures alone, so that no other file is ever shown as one. */

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, Math.min(end, bytes.length)))

/** Bytes that are looked at. The root tag of an SVG is nearer than that to its start. */
export const HEADER_BYTES = 16_384

/** Brands of HEIF files that hold AVIF or HEIC images (ISO/IEC 23008-12, AV1 Image File Format). */
const HEIF_BRAND = /^ftyp(?:avif|avis|heic|heix|heim|heis|hevc|hevx|mif1|msf1)/

/** Beginnings of PNG, GIF, PSD, TIFF, JPEG XL (codestream and container) and ICO. */
const SIGNATURES = [
  '\x89PNG\r\n\x1a\n',
  'GIF87a',
  'GIF89a',
  '8BPS\0\x01',
  'II*\0',
  'MM\0*',
  '\xff\x0a',
  '\0\0\0\x0cJXL \r\n\x87\n',
  '\0\0\x01\0',
]

const isBmp = (bytes: Uint8Array): boolean => latin1(bytes, 0, 2) === 'BM' && latin1(bytes, 6, 10) === '\0\0\0\0'

/** Markup whose first element is `svg`: prolog, comments and doctype may stand before it. */
const isSvg = (bytes: Uint8Array): boolean => {
  const text = new TextDecoder().decode(bytes.subarray(0, HEADER_BYTES)).trimStart()
  return text.startsWith('<') && /<svg[\s>]/.test(text) && !/<html[\s>]/i.test(text)
}

export const isImageHeader = (bytes: Uint8Array): boolean => {
  const start = latin1(bytes, 0, 16)
  return (
    start.startsWith('\xff\xd8\xff') ||
    SIGNATURES.some((signature) => start.startsWith(signature)) ||
    (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') ||
    HEIF_BRAND.test(start.slice(4)) ||
    isBmp(bytes) ||
    isSvg(bytes)
  )
}
