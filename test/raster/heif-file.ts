import { readFileSync } from 'node:fs'

const u16 = (value: number): Buffer => Buffer.of(value >> 8, value & 255)
const u32 = (value: number): Buffer => Buffer.concat([u16(value >>> 16), u16(value & 0xffff)])
const text = (value: string): Buffer => Buffer.from(value, 'latin1')

/** A box of an ISO base media file. */
export const box = (name: string, ...content: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([u32(8 + body.length), text(name), body])
}
const fullBox = (name: string, version: number, ...content: readonly Buffer[]): Buffer =>
  box(name, Buffer.of(version, 0, 0, 0), ...content)

/** An item of a HEIF file: its data and its properties in order. */
export interface HeifItem {
  readonly type: 'hvc1' | 'grid'
  readonly data: Buffer
  readonly properties: readonly Buffer[]
  /** Item numbers start at 1, in the given order. */
  readonly refers?: { readonly how: 'dimg' | 'auxl'; readonly to: readonly number[] }
}

/** Properties (ISO/IEC 23008-12, section 6.5). */
export const ispe = (width: number, height: number): Buffer => fullBox('ispe', 0, u32(width), u32(height))
/** Quarter turns anticlockwise. */
export const irot = (turns: number): Buffer => box('irot', Buffer.of(turns))
/** 0: mirrors top and bottom; 1: left and right. */
export const imir = (axis: number): Buffer => box('imir', Buffer.of(axis))
export const nclx = (primaries: number, transfer: number): Buffer =>
  box('colr', text('nclx'), u16(primaries), u16(transfer), u16(6), Buffer.of(0x80))
export const prof = (icc: Buffer): Buffer => box('colr', text('prof'), icc)
const aux = (urn: string): Buffer => fullBox('auxC', 0, text(`${urn}\0`))
export const auxAlpha = aux('urn:mpeg:hevc:2015:auxid:1')
export const auxGainMap = aux('urn:com:apple:photo:2020:aux:hdrgainmap')

/** A grid of tiles, rows and columns of at least 1. */
export const gridData = (rows: number, columns: number, width: number, height: number): Buffer =>
  Buffer.concat([Buffer.of(0, 0, rows - 1, columns - 1), u16(width), u16(height)])

/** A HEIF file with these items, the first one primary. Their data is in `idat`. */
export const heifFile = (items: readonly HeifItem[]): Buffer => {
  const all = items.flatMap(({ properties }) => properties)
  let offset = 0
  const locations = items.map(({ data }, at) => {
    const where = Buffer.concat([u16(at + 1), u16(1), u16(0), u16(1), u32(offset), u32(data.length)])
    offset += data.length
    return where
  })
  let property = 0
  const associations = items.map(({ properties }, at) =>
    Buffer.concat([u16(at + 1), Buffer.of(properties.length, ...properties.map(() => 0x80 | ++property))]),
  )
  const references = items.flatMap(({ refers }, at) =>
    refers === undefined ? [] : [box(refers.how, u16(at + 1), u16(refers.to.length), ...refers.to.map(u16))],
  )
  const meta = fullBox(
    'meta',
    0,
    fullBox('hdlr', 0, u32(0), text('pict'), Buffer.alloc(13)),
    fullBox('pitm', 0, u16(1)),
    fullBox('iloc', 1, Buffer.of(0x44, 0), u16(items.length), ...locations),
    fullBox(
      'iinf',
      0,
      u16(items.length),
      ...items.map(({ type }, at) => fullBox('infe', 2, u16(at + 1), u16(0), text(`${type}\0`))),
    ),
    ...(references.length === 0 ? [] : [fullBox('iref', 0, ...references)]),
    box('iprp', box('ipco', ...all), fullBox('ipma', 0, u32(items.length), ...associations)),
    box('idat', ...items.map(({ data }) => data)),
  )
  return Buffer.concat([box('ftyp', text('heic\0\0\0\0mif1heic')), meta])
}

const insideOf = (file: Buffer, name: string): Buffer => {
  const at = file.indexOf(name, 0, 'latin1')
  return file.subarray(at + 4, at - 4 + file.readUInt32BE(at - 4))
}

/** The coded image of a fixture: its bitstream, and the property that decoders need. */
export const codedImage = (path: string): { readonly data: Buffer; readonly hvcC: Buffer } => {
  const file = readFileSync(path)
  return { data: insideOf(file, 'mdat'), hvcC: box('hvcC', insideOf(file, 'hvcC')) }
}
