/** Items of metadata in an AVIF as libheif writes it (ISO/IEC 14496-12, section 8.11). */

import { HEADER_SIZES } from '../core/header-sizes.ts'
import { boxesOf, type FileBox, growBox, moveItems, requireBox, requirePlain, writeBox } from './isobmff.ts'

/** An item to add: an Exif block (`data` starts with its 4-byte offset), or a text with its content type. */
export type AvifItem =
  | { readonly type: 'Exif'; readonly data: Buffer }
  | { readonly type: 'mime'; readonly contentType: string; readonly data: Buffer }

const u16 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value, i * 2)
  return bytes
}

const u32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4)
  return bytes
}

/** An entry of `iinf`, version 2: number, no protection, type, no name, content type. */
const itemInfo = (id: number, item: AvifItem): Buffer =>
  writeBox(
    'infe',
    Buffer.of(2, 0, 0, 0),
    u16(id, 0),
    Buffer.from(`${item.type}\0${item.type === 'mime' ? `${item.contentType}\0` : ''}`, 'latin1'),
  )

/** An entry of `iloc`, version 0 with sizes of 4 bytes: number, this file, base, one extent. */
const itemLocation = (id: number, offset: number, length: number): Buffer =>
  Buffer.concat([u16(id, 0), u32(offset), u16(1), u32(0, length)])

/** The reference from a metadata item to the image that it describes (section 8.11.12). */
const describes = (id: number, primary: number): Buffer => writeBox('cdsc', u16(id, 1, primary))

/** The highest number of an item. */
const lastId = (file: Buffer, iinf: { readonly start: number; readonly end: number }): number =>
  Math.max(
    ...[...boxesOf(file, iinf.start + HEADER_SIZES.fullBox + 2, iinf.end)].map(({ start }) =>
      file.readUInt16BE(start + 4),
    ),
  )

/** The boxes that list and locate items. Throws for files that libheif did not write. */
const openMeta = (file: Buffer) => {
  const meta = requireBox(file, { start: 0, end: file.length }, 'meta')
  const inside = { start: meta.start + HEADER_SIZES.fullBox, end: meta.end }
  const [iinf, iloc, pitm] = [
    requireBox(file, inside, 'iinf'),
    requireBox(file, inside, 'iloc'),
    requireBox(file, inside, 'pitm'),
  ]
  const iref = [...boxesOf(file, inside.start, inside.end)].find(({ name }) => name === 'iref')
  for (const plain of [iinf, pitm, ...(iref === undefined ? [] : [iref])]) requirePlain(file, plain)
  return { meta, iinf, iloc, pitm, iref }
}

/** Appends items to the file. Throws for files that libheif did not write. */
export const withAvifItems = (avif: Uint8Array, items: readonly AvifItem[]): Buffer => {
  const file = Buffer.from(avif)
  const { meta, iinf, iloc, pitm, iref } = openMeta(file)
  const primary = file.readUInt16BE(pitm.start + HEADER_SIZES.fullBox)
  const firstId = lastId(file, iinf) + 1
  const infos = Buffer.concat(items.map((item, i) => itemInfo(firstId + i, item)))
  const references = Buffer.concat(items.map((_, i) => describes(firstId + i, primary)))
  const newReferences = iref === undefined ? writeBox('iref', u32(0), references) : references
  const placeBytes = itemLocation(0, 0, 0).length * items.length
  const added = infos.length + placeBytes + newReferences.length
  moveItems(file, iloc, added)
  let offset = file.length + added + 8
  const places = items.map(({ data }, i) => {
    const place = itemLocation(firstId + i, offset, data.length)
    offset += data.length
    return place
  })
  file.writeUInt16BE(
    file.readUInt16BE(iinf.start + HEADER_SIZES.fullBox) + items.length,
    iinf.start + HEADER_SIZES.fullBox,
  )
  file.writeUInt16BE(
    file.readUInt16BE(iloc.start + HEADER_SIZES.fullBox + 2) + items.length,
    iloc.start + HEADER_SIZES.fullBox + 2,
  )
  growBox(file, meta, added)
  growBox(file, iinf, infos.length)
  growBox(file, iloc, placeBytes)
  if (iref !== undefined) growBox(file, iref, references.length)
  const inserts = [
    { at: iinf.end, bytes: infos },
    { at: iloc.end, bytes: Buffer.concat(places) },
    { at: iref?.end ?? meta.end, bytes: newReferences },
  ]
  return Buffer.concat([splice(file, inserts), writeBox('mdat', ...items.map(({ data }) => data))])
}

/** A change of a file: `bytes` replace those from `at` up to `end`. */
interface Edit {
  readonly at: number
  readonly end?: number
  readonly bytes?: Uint8Array
}

const splice = (file: Buffer, edits: readonly Edit[]): Buffer => {
  const pieces: Uint8Array[] = []
  let from = 0
  for (const { at, end = at, bytes = new Uint8Array() } of edits.toSorted((one, other) => one.at - other.at)) {
    pieces.push(file.subarray(from, at), bytes)
    from = end
  }
  return Buffer.concat([...pieces, file.subarray(from)])
}

/** The items of `iloc`, version 0 with sizes of 4 bytes. */
function* locationsOf(file: Buffer, iloc: FileBox): Generator<Edit & { readonly id: number; readonly offset: number }> {
  let at = iloc.start + HEADER_SIZES.fullBox + 4
  for (let left = file.readUInt16BE(at - 2); left > 0; left--) {
    const end = at + 10 + file.readUInt16BE(at + 8) * 8
    const offset = file.readUInt32BE(at + 4) + (end - at > 10 ? file.readUInt32BE(at + 10) : 0)
    yield { id: file.readUInt16BE(at), at, end, offset }
    at = end
  }
}

/** The file before {@link withAvifItems}. undefined when nothing was added, or for files of another form. */
export const withoutAvifItems = (avif: Uint8Array): Buffer | undefined => {
  const file = Buffer.from(avif)
  try {
    return cutItems(file)
  } catch {
    return undefined
  }
}

const METADATA: ReadonlySet<string> = new Set(['Exif', 'mime'])

const total = (edits: readonly Edit[]): number => edits.reduce((sum, { at, end = at }) => sum + end - at, 0)

const cutItems = (file: Buffer): Buffer | undefined => {
  const { meta, iinf, iloc, iref } = openMeta(file)
  const infos = [...boxesOf(file, iinf.start + HEADER_SIZES.fullBox + 2, iinf.end)].filter(({ start }) =>
    METADATA.has(file.toString('latin1', start + 8, start + 12)),
  )
  const ids = new Set(infos.map(({ start }) => file.readUInt16BE(start + 4)))
  const places = [...locationsOf(file, iloc)].filter(({ id }) => ids.has(id))
  const data = [...boxesOf(file, 0, file.length)].find(({ start }) => start === places[0]?.offset)
  if (data === undefined || iref === undefined || ids.size === 0) return undefined
  const references = [...boxesOf(file, iref.start + HEADER_SIZES.fullBox, iref.end)]
  const cutReferences = references.filter(({ start }) => ids.has(file.readUInt16BE(start)))
  const isRefEmpty = cutReferences.length === references.length
  const cuts = [...infos, ...places, ...(isRefEmpty ? [iref] : cutReferences)]
  moveItems(file, iloc, -total(cuts))
  file.writeUInt16BE(
    file.readUInt16BE(iinf.start + HEADER_SIZES.fullBox) - infos.length,
    iinf.start + HEADER_SIZES.fullBox,
  )
  file.writeUInt16BE(
    file.readUInt16BE(iloc.start + HEADER_SIZES.fullBox + 2) - places.length,
    iloc.start + HEADER_SIZES.fullBox + 2,
  )
  growBox(file, meta, -total(cuts))
  growBox(file, iinf, -total(infos))
  growBox(file, iloc, -total(places))
  if (!isRefEmpty) growBox(file, iref, -total(cutReferences))
  return splice(file, [...cuts, data])
}
