/** Table for CRC-32 (ISO 3309). */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
  return crc
})

const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffffffff
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 255]! ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

/** A file of an archive. */
export interface ZipEntry {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const fields = (...list: readonly (readonly [value: number, bytes: 2 | 4])[]): Uint8Array<ArrayBuffer> => {
  const view = new DataView(new ArrayBuffer(list.reduce((sum, [, bytes]) => sum + bytes, 0)))
  let at = 0
  for (const [value, bytes] of list) {
    if (bytes === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += bytes
  }
  return new Uint8Array(view.buffer)
}

/** Fields of APPNOTE 6.3: the flag for UTF-8 names, and 1 January 1980, the earliest date. */
const ZIP = { utf8: 0x800, date: 0x21 } as const

/** Creates a ZIP archive of at most 4 GB. It stores files without compression (APPNOTE 6.3, method 0), since images are compressed already. */
export const makeZip = (entries: readonly ZipEntry[]): Blob => {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const directory: Uint8Array<ArrayBuffer>[] = []
  let at = 0
  for (const { name, bytes } of entries) {
    const path = new TextEncoder().encode(name)
    const common = [
      [ZIP.utf8, 2],
      [0, 2],
      [0, 2],
      [ZIP.date, 2],
      [crc32(bytes), 4],
      [bytes.length, 4],
      [bytes.length, 4],
      [path.length, 2],
      [0, 2],
    ] as const
    const head = fields([0x04034b50, 4], [20, 2], ...common)
    directory.push(fields([0x02014b50, 4], [20, 2], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]), path)
    parts.push(head, path, bytes)
    at += head.length + path.length + bytes.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const count = entries.length
  const end = fields([0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [at, 4], [0, 2])
  return new Blob([...parts, ...directory, end], { type: 'application/zip' })
}

/** Returns unique names: a repeated `a.jpg` becomes `a-2.jpg`. */
export const uniqueNames = (names: readonly string[]): readonly string[] => {
  const used = new Set<string>()
  return names.map((name) => {
    const [, stem = name, extension = ''] = /^(.*?)(\.[^.]*)?$/s.exec(name) ?? []
    let candidate = name
    for (let n = 2; used.has(candidate); n++) candidate = `${stem}-${n}${extension}`
    used.add(candidate)
    return candidate
  })
}
