import { cleanText, type Rights, type RightsField, textOfBytes } from './fields.ts'

/** Prefix of a JPEG's Photoshop segment. */
const PHOTOSHOP = Buffer.from('Photoshop 3.0\0', 'latin1')
/** Image resource of IPTC data (Adobe Photoshop file format), and first byte of a data set (IPTC IIM 4.2, section 1.5). */
const IPTC = { resource: 0x0404, tagMarker: 0x1c } as const
/** Data set 1:90 with this value: texts are UTF-8. */
const UTF8 = Buffer.from([IPTC.tagMarker, 1, 90, 0, 3, 0x1b, 0x25, 0x47])

/** Data sets of record 2. */
const DATA_SETS: ReadonlyMap<number, RightsField> = new Map([
  [80, 'byLine'],
  [110, 'iptcCredit'],
  [116, 'notice'],
])

/** The IPTC data in a Photoshop segment, or the bytes themselves for other data. */
const iptcData = (bytes: Buffer): Buffer => {
  if (!bytes.subarray(0, PHOTOSHOP.length).equals(PHOTOSHOP)) return bytes
  for (let at = PHOTOSHOP.length; at + 12 <= bytes.length && bytes.toString('latin1', at, at + 4) === '8BIM'; ) {
    const name = bytes[at + 6]! + 1
    const size = at + 6 + name + (name & 1)
    if (size + 4 > bytes.length) break
    const length = bytes.readUInt32BE(size)
    if (bytes.readUInt16BE(at + 4) === IPTC.resource) return bytes.subarray(size + 4, size + 4 + length)
    at = size + 4 + length + (length & 1)
  }
  return Buffer.alloc(0)
}

/** By-line, Credit and Copyright Notice of IPTC data, bare or in a Photoshop segment, up to any damage. */
export const readIptcRights = (block: Uint8Array): Rights => {
  const data = iptcData(Buffer.from(block.buffer, block.byteOffset, block.length))
  const found = new Map<RightsField, string[]>()
  for (let at = 0; at + 5 <= data.length && data[at] === IPTC.tagMarker; ) {
    const length = data.readUInt16BE(at + 3)
    const field = data[at + 1] === 2 ? DATA_SETS.get(data[at + 2]!) : undefined
    const text = field === undefined ? '' : cleanText(textOfBytes(data.subarray(at + 5, at + 5 + length)))
    if (field !== undefined && text !== '') {
      const values = found.get(field) ?? []
      values.push(text)
      found.set(field, values)
    }
    at += 5 + length
  }
  return found
}

const dataSet = (number: number, text: string): Buffer => {
  const value = Buffer.from(text, 'utf8')
  const head = Buffer.from([IPTC.tagMarker, 2, number, 0, 0])
  head.writeUInt16BE(value.length, 3)
  return Buffer.concat([head, value])
}

/** The content of a Photoshop segment with these rights. undefined when it would be empty. */
export const writeIptcRights = (rights: Rights): Buffer | undefined => {
  const sets = [...DATA_SETS].flatMap(([number, field]) =>
    (rights.get(field) ?? []).map((text) => dataSet(number, text)),
  )
  if (sets.length === 0) return undefined
  const plain = Buffer.concat(sets)
  const data = plain.every((byte) => byte < 0x80) ? plain : Buffer.concat([UTF8, plain])
  const head = Buffer.alloc(12)
  head.write('8BIM', 'latin1')
  head.writeUInt16BE(IPTC.resource, 4)
  head.writeUInt32BE(data.length, 8)
  return Buffer.concat([PHOTOSHOP, head, data, Buffer.alloc(data.length & 1)])
}
