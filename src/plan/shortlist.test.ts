import { describe, expect, it } from 'vitest'
import type { OutputFormat } from '../core/image.ts'
import type { Target } from './plan.ts'
import { type PixelFacts, shortlist } from './shortlist.ts'

const photo: PixelFacts = { opaque: true, binaryAlpha: true, grey: false, colours: 257, flatness: 0.1, planes: 0 }
const screenshot: PixelFacts = { ...photo, flatness: 0.9 }
const sprite: PixelFacts = { opaque: false, binaryAlpha: true, grey: false, colours: 30, flatness: 0.8, planes: 0 }
const softLogo: PixelFacts = { ...sprite, binaryAlpha: false, colours: 257 }

const MEDIUM: Target = { kind: 'score', score: 70, preset: 'medium' }
const LOSSLESS: Target = { kind: 'lossless' }
const LARGE = { width: 800, height: 600 }
const SMALL = { width: 32, height: 32 }

describe('formats worth encoding, in order of promise (§4.2)', () => {
  it.each<[string, readonly OutputFormat[], PixelFacts, typeof LARGE, readonly OutputFormat[]]>([
    ['of a photograph: JPEG', ['jpeg', 'png'], photo, LARGE, ['jpeg']],
    ['of a gradient of many colours: both', ['jpeg', 'png'], { ...photo, planes: 1 }, LARGE, ['jpeg', 'png']],
    ['of a tiny photograph: both', ['jpeg', 'png'], photo, SMALL, ['jpeg', 'png']],
    ['of a grey photograph: JPEG', ['jpeg', 'png'], { ...photo, grey: true, colours: 236 }, LARGE, ['jpeg']],
    ['of a grey drawing: both', ['jpeg', 'png'], { ...photo, grey: true, colours: 60 }, LARGE, ['jpeg', 'png']],
    ['of a half flat image: both', ['jpeg', 'png'], { ...photo, flatness: 0.5 }, LARGE, ['jpeg', 'png']],
    ['of noise in few colours: both', ['jpeg', 'png'], { ...photo, colours: 256 }, LARGE, ['jpeg', 'png']],
    ['of a screenshot: PNG, then JPEG', ['jpeg', 'png'], screenshot, LARGE, ['png', 'jpeg']],
    ['of real transparency: never JPEG', ['jpeg', 'png'], sprite, LARGE, ['png']],
    ['of a forced JPEG: JPEG, which is flattened', ['jpeg'], sprite, LARGE, ['jpeg']],
    ['of a forced PNG: PNG, even of a photograph', ['png'], photo, LARGE, ['png']],
    ['of a static GIF: itself too', ['jpeg', 'png', 'gif'], sprite, LARGE, ['png', 'gif']],
    ['of an accepted WebP: WebP first', ['webp', 'jpeg', 'png'], photo, LARGE, ['webp', 'jpeg']],
    ['of a photograph with soft transparency: PNG', ['jpeg', 'png'], { ...softLogo, flatness: 0.1 }, LARGE, ['png']],
  ])('shortlists the formats %s', (_, formats, facts, size, expected) => {
    expect(shortlist({ formats, target: MEDIUM }, facts, size).formats).toEqual(expected)
  })

  it('keeps a lossless PNG for any content', () => {
    expect(shortlist({ formats: ['webp', 'png'], target: LOSSLESS }, photo, LARGE).formats).toEqual(['webp', 'png'])
  })
})

describe('lossless GIF', () => {
  it('lossless GIF is possible with 256 colours and without partial transparency', () => {
    expect(shortlist({ formats: ['gif'], target: LOSSLESS }, sprite, SMALL).target).toBe(LOSSLESS)
  })

  it.each([
    ['many colours', photo],
    ['partial transparency', softLogo],
  ])('lossless GIF becomes high for %s, with a Warning', (_, facts) => {
    const { target, warnings } = shortlist({ formats: ['gif'], target: LOSSLESS }, facts, SMALL)
    expect(target).toEqual({ kind: 'score', score: 85, preset: 'high' })
    expect(warnings.length).toBe(1)
  })
})
