/** The usual extension by Content-Type, without its dot. */
export const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/tiff': 'tiff',
  'image/heic': 'heic',
  'image/jxl': 'jxl',
  'image/bmp': 'bmp',
  'image/vnd.microsoft.icon': 'ico',
  'image/vnd.adobe.photoshop': 'psd',
  'video/webm': 'webm',
  'video/mp4': 'mp4',
}

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

/**
 * The file name of a result (§5): the source's own, with the extension of what came out. Control characters, separators of
 * paths and what shells and headers treat specially become `-`; a name that is all dots or empty becomes `image`.
 */
export const resultFileName = (source: string, extension: string): string => {
  const name = [...decoded(lastSegment(source))]
    .map((character) => (/[\p{Cc}\p{Cf}"'\\/:*?<>|;%$`]/u.test(character) ? '-' : character))
    .join('')
    .replace(/^[.\s-]+/, '')
  const dot = name.lastIndexOf('.')
  const stem = [...(dot > 0 ? name.slice(0, dot) : name)].slice(0, LONGEST).join('').trim()
  return `${stem === '' ? 'image' : stem}.${extension}`
}

/** `inline; filename="photo.jpg"`, and where the name is not ASCII a second form that tells it whole (RFC 6266, RFC 8187). */
export const contentDisposition = (fileName: string): string => {
  const ascii = fileName.normalize('NFKD').replace(/[^\x20-\x7e]/g, '')
  const plain = /^[^.\s]/.test(ascii) ? ascii : `image${ascii.slice(ascii.lastIndexOf('.'))}`
  const whole =
    plain === fileName ? '' : `; filename*=UTF-8''${encodeURIComponent(fileName).replace(/[!'()*]/g, percent)}`
  return `inline; filename="${plain}"${whole}`
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
