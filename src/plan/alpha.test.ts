import { describe, expect, it } from 'vitest'
import type { OutputFormat, Rgb } from '../core/image.ts'
import { type Alpha, alphaWarnings, settleAlpha } from './alpha.ts'
import type { PixelFacts } from './shortlist.ts'

const soft: PixelFacts = { opaque: false, binaryAlpha: false, grey: false, colours: 257, flatness: 0.8 }
const sprite: PixelFacts = { ...soft, binaryAlpha: true }
const opaque: PixelFacts = { ...sprite, opaque: true }
const WHITE: Rgb = { r: 255, g: 255, b: 255 }
const NAVY: Rgb = { r: 0, g: 0, b: 80 }

describe('transparency', () => {
  it.each<[string, readonly OutputFormat[], Rgb | 'transparent', PixelFacts, Alpha, number]>([
    ['that is none is dropped', ['gif'], WHITE, opaque, { kind: 'drop' }, 0],
    ['is kept where a format shows it', ['jpeg', 'png', 'gif'], WHITE, soft, { kind: 'keep' }, 0],
    ['that is all or nothing is kept in a GIF', ['gif'], WHITE, sprite, { kind: 'keep' }, 0],
    ['that is soft is cut in a GIF', ['gif'], WHITE, soft, { kind: 'cut' }, 1],
    ['is cut with bgcolor=transparent', ['gif'], 'transparent', soft, { kind: 'cut' }, 1],
    ['is laid on a colour that was named', ['gif'], NAVY, soft, { kind: 'matte', background: NAVY }, 1],
  ])('%s', (_, formats, background, facts, alpha, warnings) => {
    const settled = settleAlpha({ formats, background }, facts)
    expect(settled).toEqual(alpha)
    expect(alphaWarnings(settled)).toHaveLength(warnings)
  })
})
