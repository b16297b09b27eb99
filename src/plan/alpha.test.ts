import { describe, expect, it } from 'vitest'
import type { OutputFormat, Rgb } from '../core/image.ts'
import { type Alpha, alphaWarnings, settleAlpha } from './alpha.ts'
import type { PixelFacts } from './shortlist.ts'

const soft: PixelFacts = { opaque: false, binaryAlpha: false, grey: false, colours: 257, flatness: 0.8, planes: 0 }
const sprite: PixelFacts = { ...soft, binaryAlpha: true }
const opaque: PixelFacts = { ...sprite, opaque: true }
const WHITE: Rgb = { r: 255, g: 255, b: 255 }
const NAVY: Rgb = { r: 0, g: 0, b: 80 }

describe('transparency', () => {
  it.each<[string, readonly OutputFormat[], Rgb | 'transparent', PixelFacts, Alpha, number]>([
    ['dropped when every pixel is opaque', ['gif'], WHITE, opaque, { kind: 'drop' }, 0],
    ['kept when a format has it', ['jpeg', 'png', 'gif'], WHITE, soft, { kind: 'keep' }, 0],
    ['kept in a GIF when it is all or nothing', ['gif'], WHITE, sprite, { kind: 'keep' }, 0],
    ['cut in a GIF when it is soft', ['gif'], WHITE, soft, { kind: 'cut' }, 1],
    ['cut with bgcolor=transparent', ['gif'], 'transparent', soft, { kind: 'cut' }, 1],
    ['blended with a named colour', ['gif'], NAVY, soft, { kind: 'matte', background: NAVY }, 1],
  ])('transparency is %s', (_, formats, background, facts, alpha, warnings) => {
    const settled = settleAlpha({ formats, background }, facts)
    expect(settled).toEqual(alpha)
    expect(alphaWarnings(settled)).toHaveLength(warnings)
  })
})
