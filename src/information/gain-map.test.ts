import { expect, it } from 'vitest'
import type { SourceFacts, SourceFormat } from '../core/image.ts'
import { hasGainMap } from './gain-map.ts'

const factsOf = (format: SourceFormat, gainMap = false): SourceFacts => ({
  format,
  width: 1,
  height: 1,
  frames: 1,
  alpha: false,
  orientation: 1,
  profile: 'none',
  bytes: 1,
  ...(gainMap ? { gainMap } : {}),
})
const file = (text: string): Buffer => Buffer.from(text.padEnd(60, '-'), 'latin1')
const JXL = Buffer.concat([Buffer.from([0, 0, 0, 12]), file('JXL ....jhgm....')])

it.each([
  ['what its header announces', factsOf('avif', true), file(''), true],
  ['a box of JPEG XL', factsOf('jxl'), JXL, true],
  ['any other JPEG XL', factsOf('jxl'), file('JXL ....jhgm....'), false],
  ['next to nothing', factsOf('jpeg'), Buffer.from([0xff, 0xd8]), false],
])('detects a gain map by %s', (_, facts, bytes, expected) => expect(hasGainMap(facts, bytes)).toBe(expected))
