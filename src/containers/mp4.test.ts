import { expect, it } from 'vitest'
import { clearMp4Times } from './mp4.ts'

const box = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}
const ones = (bytes: number): Buffer => Buffer.alloc(bytes, 1)
const zeros = (bytes: number): Buffer => Buffer.alloc(bytes)
const short = Buffer.from([0, 0, 0, 7])
const long = Buffer.from([1, 0, 0, 7])

/** A file whose times are the bytes that `time` returns for a length. */
const fileWith = (time: (bytes: number) => Buffer): Buffer =>
  Buffer.concat([
    box('ftyp', ones(16)),
    box(
      'moov',
      box('mvhd', short, time(8), ones(8)),
      box('trak', box('tkhd', long, time(16), ones(8)), box('mdia', box('mdhd', short, time(8), ones(8)))),
    ),
    box('mdat', box('mvhd', short, ones(16))),
  ])

it('times are cleared in boxes of either version, and nothing else is touched', () => {
  const file = fileWith(ones)
  clearMp4Times(file)
  expect(file).toEqual(fileWith(zeros))
})

it.each([
  ['a size of nothing', Buffer.concat([zeros(4), Buffer.from('moov'), ones(20)])],
  ['a size beyond the end', Buffer.concat([Buffer.from([0, 0, 1, 0]), Buffer.from('moov'), ones(20)])],
  ['a box that ends in its times', box('moov', box('mvhd', short, ones(2)))],
])('%s does no harm', (_, file) => {
  const length = file.length
  clearMp4Times(file)
  expect(file).toHaveLength(length)
})
