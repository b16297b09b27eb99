/** Longest name without its extension, in characters: file systems take 255 bytes. */
const LONGEST = 80

const lastSegment = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** A name as it was meant, where it is percent-encoded; else as it stands. */
const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Control characters, separators of paths and what shells and headers treat specially become `-`. */
const withoutSpecial = (text: string): string => text.replace(/[\p{Cc}\p{Cf}"'\\/:*?<>|;%$`]/gu, '-')

/**
 * The file name of a result (§5): the source's own, with the extension of what came out. Control characters, separators of
 * paths and what shells and headers treat specially become `-`; a name that is all dots or empty becomes `image`.
 */
export const resultFileName = (source: string, extension: string): string => {
  // Full-width forms are normalised first: they become the very characters that are taken out (U+FF02 is a quote).
  const name = withoutSpecial(decoded(lastSegment(source)).normalize('NFKC')).replace(/^[.\s-]+/, '')
  const dot = name.lastIndexOf('.')
  const stem = [...(dot > 0 ? name.slice(0, dot) : name)].slice(0, LONGEST).join('').trim()
  return `${stem === '' ? 'image' : stem}.${extension}`
}

/** `inline; filename="photo.jpg"`, and for a name that is not ASCII a second form with the whole name (RFC 6266, RFC 8187). */
export const contentDisposition = (fileName: string): string => {
  const ascii = withoutSpecial(fileName.normalize('NFKD').replace(/[^\x20-\x7e]/g, ''))
  const plain = /^[^.\s]/.test(ascii) ? ascii : `image${ascii.slice(ascii.lastIndexOf('.'))}`
  const whole =
    plain === fileName ? '' : `; filename*=UTF-8''${encodeURIComponent(fileName).replace(/[!'()*]/g, percent)}`
  return `inline; filename="${plain}"${whole}`
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
