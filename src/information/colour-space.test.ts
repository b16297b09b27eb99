import { describe, expect, it } from 'vitest'
import type { SourceFacts } from '../core/image.ts'
import { colourSpace, profileName } from './colour-space.ts'

const profile = (tag: Buffer): Buffer => {
  const head = Buffer.alloc(144)
  head.writeUInt32BE(1, 128)
  head.write('desc', 132, 'latin1')
  head.writeUInt32BE(144, 136)
  head.writeUInt32BE(tag.length, 140)
  return Buffer.concat([head, tag])
}
const ascii = (name: string): Buffer => {
  const tag = Buffer.alloc(12 + name.length)
  tag.write('desc', 0, 'latin1')
  tag.writeUInt32BE(name.length, 8)
  tag.write(name, 12, 'latin1')
  return tag
}
const localised = (name: string): Buffer => {
  const text = Buffer.from(name, 'utf16le').swap16()
  const tag = Buffer.alloc(28)
  tag.write('mluc', 0, 'latin1')
  tag.writeUInt32BE(text.length, 20)
  tag.writeUInt32BE(28, 24)
  return Buffer.concat([tag, text])
}

describe('the name of a profile', () => {
  it.each([
    ['of version 2', profile(ascii('Adobe RGB (1998)\0')), 'Adobe RGB (1998)'],
    ['of version 4', profile(localised('Display P3')), 'Display P3'],
    ['that is cut off', profile(ascii('Adobe RGB')).subarray(0, 140), undefined],
    ['that is none', Buffer.alloc(200), undefined],
  ])('reads the name of a profile %s', (_, bytes, name) => expect(profileName(bytes)).toBe(name))
})

describe('the colour space', () => {
  const facts = (more: Partial<SourceFacts>): SourceFacts => ({ profile: 'none', ...more }) as SourceFacts
  const icc = profile(ascii('Wide\0'))
  it.each([
    [{}, { space: 'srgb' }, 'sRGB'],
    [{}, { space: 'b-w' }, 'grey'],
    [{}, { space: 'cmyk' }, 'CMYK'],
    [{ profile: 'srgb' as const }, { space: 'srgb', icc }, 'sRGB'],
    [{ profile: 'other' as const }, { space: 'srgb', icc }, 'Wide'],
    [{ profile: 'other' as const }, { space: 'cmyk', icc: Buffer.alloc(9) }, 'CMYK'],
    [{ profile: 'other' as const }, {}, 'other'],
    [{ codePoints: { primaries: 12, transfer: 13 } }, {}, 'Display P3'],
    [{ codePoints: { primaries: 9, transfer: 16 } }, {}, 'BT.2020 PQ'],
  ])('%j, stored as %j: %s', (more, stored, expected) => {
    expect(colourSpace(facts(more as Partial<SourceFacts>), stored)).toBe(expected)
  })
})
