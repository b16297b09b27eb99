/** A box of an ISO base media file in memory: where it begins, where its content begins, and where it ends. */
interface Box {
  readonly name: string
  readonly at: number
  readonly start: number
  readonly end: number
}

function* boxesOf(file: Buffer, from: number, to: number): Generator<Box> {
  for (let at = from; at + 8 <= to; ) {
    const size = file.readUInt32BE(at)
    if (size < 8) return
    yield { name: file.toString('latin1', at + 4, at + 8), at, start: at + 8, end: at + size }
    at += size
  }
}

const find = (file: Buffer, within: Pick<Box, 'start' | 'end'>, name: string): Box => {
  for (const box of boxesOf(file, within.start, within.end)) if (box.name === name) return box
  throw new Error(`An AVIF without ${name}`)
}

/** What follows a box's header in a FullBox: version and flags. */
const VERSION_BYTES = 4

const requirePlain = (file: Buffer, { name, start }: Box): void => {
  if (file.readUInt32BE(start) !== 0) throw new Error(`${name} of another version`)
}

const grow = (file: Buffer, { at }: Box, by: number): void => {
  file.writeUInt32BE(file.readUInt32BE(at) + by, at)
}

/** iloc, version 0: sizes in half bytes, then for each item its number, a reference, where it begins, and its extents. */
const moveItems = (file: Buffer, iloc: Box, by: number): void => {
  requirePlain(file, iloc)
  const sizes = file.readUInt16BE(iloc.start + VERSION_BYTES)
  if (sizes !== 0x4440) throw new Error('iloc of other sizes')
  let at = iloc.start + VERSION_BYTES + 4
  for (let left = file.readUInt16BE(at - 2); left > 0; left--) {
    file.writeUInt32BE(file.readUInt32BE(at + 4) + by, at + 4)
    at += 10 + file.readUInt16BE(at + 8) * 8
  }
}

/** Code points of ITU-T H.273; the matrix is the one that a file without colour property is coded with. */
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

/** Changes what a colour property says; its matrix stays. */
const renumber = (file: Buffer, colr: Box, { primaries, transfer }: NclxColours): Buffer => {
  if (file.toString('latin1', colr.start, colr.start + 4) !== 'nclx') throw new Error('An AVIF with a profile')
  file.writeUInt16BE(primaries, colr.start + 4)
  file.writeUInt16BE(transfer, colr.start + 6)
  return file
}

/**
 * An AVIF as libheif writes it (the primary image first, one byte a property) with the colours that it is said to have: in the
 * property that it has for them, else in one more, of 20 bytes. Throws when it is written in another way.
 */
export const withNclx = (avif: Uint8Array, colours: NclxColours): Buffer => {
  const file = Buffer.from(avif)
  const meta = find(file, { start: 0, end: file.length }, 'meta')
  const inside = { start: meta.start + VERSION_BYTES, end: meta.end }
  const iprp = find(file, inside, 'iprp')
  const ipco = find(file, iprp, 'ipco')
  const told = [...boxesOf(file, ipco.start, ipco.end)].find(({ name }) => name === 'colr')
  if (told !== undefined) return renumber(file, told, colours)
  const ipma = find(file, iprp, 'ipma')
  requirePlain(file, ipma)
  const box = colourBox(colours)
  const count = [...boxesOf(file, ipco.start, ipco.end)].length
  // Behind version, flags, and the number of items: the first item's number, and how many properties it has.
  const properties = ipma.start + VERSION_BYTES + 4 + 2
  const own = file[properties]!
  file[properties] = own + 1
  const added = box.length + 1
  for (const outer of [meta, iprp]) grow(file, outer, added)
  grow(file, ipco, box.length)
  grow(file, ipma, 1)
  moveItems(file, find(file, inside, 'iloc'), added)
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
