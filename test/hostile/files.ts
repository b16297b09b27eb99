import { crc32, deflateSync } from 'node:zlib'

/** Four bytes, the highest first. */
export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A chunk of a PNG: length, type, data, checksum. */
export const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([u32(data.length), body, u32(crc32(body))])
}

export const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** A black PNG of one bit a pixel, with `more` chunks in front of its pixels. */
export const blackPng = (width: number, height: number, ...more: readonly Buffer[]): Buffer => {
  const header = Buffer.concat([u32(width), u32(height), Buffer.of(1, 0, 0, 0, 0)])
  const pixels = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height), { level: 9 })
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    ...more,
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
