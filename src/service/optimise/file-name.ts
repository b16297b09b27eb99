import { decodePercent } from '../../core/decode-percent.ts'
import { MAX_SHOWN_CHARS } from '../../core/shown-text.ts'

const lastSegment = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** Decodes a percent-encoded name. Returns an invalid one unchanged. */
const decoded = (segment: string): string => decodePercent(segment) ?? segment

const withoutSpecial = (text: string): string => text.replace(/[\p{Cc}\p{Cf}"'\\/:*?<>|;%$`]/gu, '-')

/**
 * The file name of a result (§5): the source's name with the result's extension. Control characters, path separators, and characters
 * that shells or headers treat specially become `-`. A name that is empty or only dots becomes `image`.
 */
export const resultFileName = (source: string, extension: string): string => {
  // Normalises first, since full-width forms become characters to replace (U+FF02 becomes a quote).
  const name = withoutSpecial(decoded(lastSegment(source)).normalize('NFKC')).replace(/^[.\s-]+/, '')
  const dot = name.lastIndexOf('.')
  const stem = [...(dot > 0 ? name.slice(0, dot) : name)].slice(0, MAX_SHOWN_CHARS).join('').trim()
  return `${stem === '' ? 'image' : stem}.${extension}`
}

/** `inline; filename="photo.jpg"`. A name that is not ASCII gets `filename*` too (RFC 6266, RFC 8187). */
export const contentDisposition = (fileName: string): string => {
  const ascii = withoutSpecial(fileName.normalize('NFKD').replace(/[^\x20-\x7e]/g, ''))
  const plain = /^[^.\s]/.test(ascii) ? ascii : `image${ascii.slice(ascii.lastIndexOf('.'))}`
  const whole =
    plain === fileName ? '' : `; filename*=UTF-8''${encodeURIComponent(fileName).replace(/[!'()*]/g, percent)}`
  return `inline; filename="${plain}"${whole}`
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
