import { describe, expect, it } from 'vitest'
import { readExifRights } from './exif.ts'
import { readIptcRights } from './iptc.ts'
import { readXmpRights } from './xmp.ts'

const HEAD =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:d="http://purl.org/dc/elements/1.1/">'
const xmp = (text: string) => readXmpRights(Buffer.from(HEAD + text))

/** An Exif block whose directory has Artist `count` times, each with the same bytes. */
const artists = (count: number, value: Buffer): Buffer => {
  const head = Buffer.alloc(10 + count * 12)
  head.write('II*\0', 'latin1')
  head.writeUInt32LE(8, 4)
  head.writeUInt16LE(count, 8)
  for (let at = 10; at < head.length; at += 12) {
    head.writeUInt16LE(0x013b, at)
    head.writeUInt16LE(2, at + 2)
    head.writeUInt32LE(value.length, at + 4)
    head.writeUInt32LE(head.length, at + 8)
  }
  return Buffer.concat([head, value])
}

// Each took half a minute or more, which is longer than a test may take.
describe('rights of a hostile file are read in linear time', () => {
  it('of an XMP list of tens of thousands of items', () => {
    expect(xmp(`<d:creator><r:Seq>${'<r:li>a</r:li>'.repeat(35_000)}`).get('creator')).toHaveLength(35_000)
  })
  it('of XMP elements that nest tens of thousands deep, up to where real ones end', () => {
    const text = (depth: number) => xmp(`<d:rights>me</d:rights><d:creator>${'<r:a>b'.repeat(depth)}`)
    expect(text(80_000)).toEqual(text(5_000))
    expect(text(80_000).get('rights')).toEqual(['me'])
    const names = `<d:rights>me</d:rights>${'<a xmlns:a="b">'.repeat(30_000)}<d:creator>too late</d:creator>`
    expect([...xmp(names).keys()]).toEqual(['rights'])
  })
  it('of IPTC data sets in hundreds of thousands', () => {
    const one = Buffer.from([0x1c, 2, 80, 0, 1, 0x41])
    expect(readIptcRights(Buffer.alloc(6 * 200_000, one)).get('byLine')).toHaveLength(200_000)
  })
  it('of Exif entries that all point to the same megabytes', () => {
    expect(readExifRights(artists(4_000, Buffer.alloc(20_000_000))).size).toBe(0)
    expect(readExifRights(artists(2, Buffer.from('me, of course'))).get('artist')).toEqual(['me, of course'])
  })
})
