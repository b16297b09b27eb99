import { describe, expect, it } from 'vitest'
import { PNG_SIGNATURE, readPngChunks, writePng, writePngChunk } from './png.ts'

/** IEND as every PNG in the world ends. */
const END = Buffer.from('0000000049454e44ae426082', 'hex')

describe('chunks of a PNG', () => {
  const file = writePng([writePngChunk('IHDR', Uint8Array.of(1, 2, 3)), writePngChunk('IDAT', new Uint8Array())])

  it('chunks are written with the checksum of the specification', () => {
    expect(writePngChunk('IEND', new Uint8Array()).equals(END)).toBe(true)
  })

  it('chunks are read as written', () => {
    expect([...readPngChunks(file)].map(({ type, data }) => [type, [...data]])).toEqual([
      ['IHDR', [1, 2, 3]],
      ['IDAT', []],
      ['IEND', []],
    ])
    expect(Buffer.concat([PNG_SIGNATURE, ...Array.from(readPngChunks(file), ({ whole }) => whole)]).equals(file)).toBe(
      true,
    )
  })

  it('chunks end with a truncated file', () => {
    for (let length = 0; length < file.length; length += 1)
      for (const { data, whole } of readPngChunks(file.subarray(0, length)))
        expect(data.length).toBeLessThanOrEqual(whole.length)
  })

  it('chunks longer than the file are truncated', () => {
    const lying = Buffer.concat([PNG_SIGNATURE, Buffer.from('ffffffff49444154', 'hex'), Buffer.of(7)])
    expect([...readPngChunks(lying)].map(({ type, data }) => [type, [...data]])).toEqual([['IDAT', [7]]])
  })
})
