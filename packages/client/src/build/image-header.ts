/** Recognises image files by their signatures, so that an adapter never publishes another file under an image's name. */

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, Math.min(end, bytes.length)))

/** Number of bytes that {@link isImageHeader} examines. The root tag of an SVG starts within them. */
export const HEADER_BYTES = 16_384

/** Brands of AVIF and HEIC files (ISO/IEC 23008-12, AV1 Image File Format). */
const HEIF_BRAND = /^ftyp(?:avif|avis|heic|heix|heim|heis|hevc|hevx|mif1|msf1)/

/** Signatures of PNG, GIF, PSD, TIFF, JPEG XL (codestream and container) and ICO. */
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

/** Whether the text is markup with an `svg` element and without an `html` element. A prolog, comments and a doctype may precede it. */
const isSvg = (bytes: Uint8Array): boolean => {
  const text = new TextDecoder().decode(bytes.subarray(0, HEADER_BYTES)).trimStart()
  return text.startsWith('<') && /<svg[\s>]/.test(text) && !/<html[\s>]/i.test(text)
}

/** Whether a file with these first bytes is an image in a format that the service reads. */
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
