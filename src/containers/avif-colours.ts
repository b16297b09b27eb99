import { HEADER_SIZES } from '../core/header-sizes.ts'
import { boxesOf, type FileBox, growBox, moveItems, requireBox, requirePlain } from './isobmff.ts'

/** Code points of ITU-T H.273. The matrix is the one that a file without colour property was coded with. */
export interface NclxColours {
  readonly primaries: number
  readonly transfer: number
  readonly matrix: number
}

/** colr, type nclx (ISO/IEC 23008-12): three numbers, and the highest bit for full range. */
const colourBox = ({ primaries, transfer, matrix }: NclxColours): Buffer => {
  const box = Buffer.alloc(19)
  box.writeUInt32BE(box.length)
  box.write('colrnclx', 4, 'latin1')
  for (const [i, number] of [primaries, transfer, matrix].entries()) box.writeUInt16BE(number, 12 + i * 2)
  box[18] = 0x80
  return box
}

/** Changes the primaries and the transfer of a colour property. Its matrix stays. */
const renumber = (file: Buffer, colr: FileBox, { primaries, transfer }: NclxColours): Buffer => {
  if (file.toString('latin1', colr.start, colr.start + 4) !== 'nclx') throw new Error('An AVIF with a profile')
  file.writeUInt16BE(primaries, colr.start + 4)
  file.writeUInt16BE(transfer, colr.start + 6)
  return file
}

/**
 * Sets the colours of an AVIF that libheif wrote (primary image first, one byte per property): in its colour property, or in a new one of
 * 20 bytes. Throws for files of another form.
 */
export const withNclx = (avif: Uint8Array, colours: NclxColours): Buffer => {
  const file = Buffer.from(avif)
  const meta = requireBox(file, { start: 0, end: file.length }, 'meta')
  const inside = { start: meta.start + HEADER_SIZES.fullBox, end: meta.end }
  const iprp = requireBox(file, inside, 'iprp')
  const ipco = requireBox(file, iprp, 'ipco')
  const colr = [...boxesOf(file, ipco.start, ipco.end)].find(({ name }) => name === 'colr')
  if (colr !== undefined) return renumber(file, colr, colours)
  const ipma = requireBox(file, iprp, 'ipma')
  requirePlain(file, ipma)
  const box = colourBox(colours)
  const count = [...boxesOf(file, ipco.start, ipco.end)].length
  // After version, flags and number of items: the first item's number, and its number of properties.
  const properties = ipma.start + HEADER_SIZES.fullBox + 4 + 2
  const own = file[properties]!
  file[properties] = own + 1
  const added = box.length + 1
  for (const outer of [meta, iprp]) growBox(file, outer, added)
  growBox(file, ipco, box.length)
  growBox(file, ipma, 1)
  moveItems(file, requireBox(file, inside, 'iloc'), added)
  const after = properties + 1 + own
  const pieces = [
    file.subarray(0, ipco.end),
    box,
    file.subarray(ipco.end, after),
    Buffer.of(count + 1),
    file.subarray(after),
  ]
  return Buffer.concat(pieces)
}
