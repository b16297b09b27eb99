import { describe, expect, it } from 'vitest'
import { countColours } from '../../src/formats/palette/histogram.ts'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { type Coding, openAnimationCoder } from '../../src/motion/gif/coder/code-animation.ts'
import { type CodableAnimation, LOSSLESS, type Loss } from '../../src/motion/gif/coder/frame.ts'
import { exactPalettes } from '../../src/motion/gif/coder/frame-palettes.ts'
import { coderPaletteOf } from '../../src/motion/gif/coder/palette.ts'
import { codeAnimation } from './code-animation.ts'
import { codePlainly, type PlainlyCoded } from './plain-gif-coder.ts'
import { fixture } from './request.ts'

/** Whole numbers below a bound that look random, the same each time. */
const random = (seed: number): ((bound: number) => number) => {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % bound
  }
}

/** RGBA of frames one below the other as an animation. */
const animationOf = (data: Uint8Array, width: number, height: number) => {
  const frames = data.length / (width * height * 4)
  const histogram = countColours({ width, height: height * frames, channels: 4, data })
  return { histogram, animation: { width, height, frames, colours: histogram.colours, entries: histogram.entries } }
}

interface Noise {
  readonly width: number
  readonly height: number
  readonly frames?: number
  readonly colours: number
  /** One pixel in `run` has another colour than the one before. */
  readonly run?: number
  /** One colour is transparent. */
  readonly isHoly?: boolean
}

/** Runs of random colours; alike in the mean from frame to frame in no place. */
const drawNoise = ({ width, height, frames = 2, colours, run = 3, isHoly = false }: Noise) => {
  const next = random(colours)
  const table = Array.from({ length: colours }, (_, i) =>
    isHoly && i === 0 ? [0, 0, 0, 0] : [next(256), next(256), next(256), 255],
  )
  const data = new Uint8Array(width * height * frames * 4)
  let colour = 0
  for (let at = 0; at < data.length; at += 4) {
    if (next(run) === 0) colour = next(colours)
    data.set(table[colour]!, at)
  }
  return animationOf(data, width, height)
}

/** A part of the first frames of a file. */
const cutFixture = async (name: string, width: number, height: number) => {
  const { extent, read } = await openAnimation(fixture(name), { format: 'gif' })
  const rows = (await read(0, 3)).flatMap(({ data }) =>
    Array.from({ length: height }, (_, y) => data.subarray(y * extent.width * 4, (y * extent.width + width) * 4)),
  )
  return animationOf(Buffer.concat(rows), width, height)
}

const coded = (animation: CodableAnimation, coding: Coding): PlainlyCoded[] => {
  const all: PlainlyCoded[] = []
  for (const { box, clears, coded: lzw, shown } of codeAnimation(animation, coding))
    all.push({ box, clears, ...lzw, shown: shown.data.slice() as Uint8Array })
  return all
}

const lossOf = (perBit: number): Loss => (perBit === 0 ? LOSSLESS : { perBit, most: perBit * 16 })
const LOSSES = [0, 0.3, 2, 30]

describe('the kernel codes as the plain definition does', () => {
  const shapes: readonly (readonly [name: string, noise: Noise])[] = [
    ['runs of nine colours', { width: 40, height: 30, frames: 3, colours: 9 }],
    ['what vanishes', { width: 31, height: 23, frames: 3, colours: 6, isHoly: true }],
    ['all 255 colours', { width: 80, height: 60, frames: 1, colours: 255, run: 1 }],
    ['one pixel', { width: 1, height: 1, frames: 3, colours: 3 }],
    ['one row', { width: 700, height: 1, colours: 5, run: 6 }],
    ['one column', { width: 1, height: 300, colours: 200 }],
    ['nothing but transparency', { width: 17, height: 5, frames: 2, colours: 1, isHoly: true }],
  ]
  it.each(
    shapes.flatMap(([name, noise]) => LOSSES.map((perBit) => [name, perBit, noise] as const)),
  )('%s, %d of error a bit', (_, perBit, noise) => {
    const { animation, histogram } = drawNoise(noise)
    const paletteOf = exactPalettes(histogram, animation.frames)!.of
    const coding = { paletteOf, lossOf: () => lossOf(perBit) }
    expect(coded(animation, coding)).toEqual([...codePlainly(animation, coding)])
  })

  it.each([0, 2])('the widest frame that GIF has, %d of error a bit', (perBit) => {
    const { animation, histogram } = drawNoise({ width: 65_535, height: 1, frames: 1, colours: 40, run: 4 })
    const coding = { paletteOf: exactPalettes(histogram, 1)!.of, lossOf: () => lossOf(perBit) }
    expect(coded(animation, coding)).toEqual([...codePlainly(animation, coding)])
  })

  it.each([0.3, 2, 30])('frames of a recording with grain, %d of error a bit', async (perBit) => {
    const { animation, histogram } = await cutFixture('image-gif__moon_impact.gif', 70, 50)
    const coding = { paletteOf: exactPalettes(histogram, 3)!.of, lossOf: (n: number) => lossOf(n === 1 ? 0 : perBit) }
    expect(coded(animation, coding)).toEqual([...codePlainly(animation, coding)])
  })

  const odd: readonly (readonly [name: string, colours: readonly number[]])[] = [
    ['a single colour', [20, 200, 30, 255]],
    ['colours that are far from all of the frames', [0, 0, 0, 255, 1, 0, 0, 255, 0, 0, 1, 255]],
    ['the same colour again and again', [90, 90, 90, 255, 90, 90, 90, 255, 90, 90, 90, 255, 200, 0, 0, 255]],
    ['a colour that is none', [7, 7, 7, 0, 255, 255, 255, 255]],
  ]
  it.each(
    odd.flatMap(([name, colours]) => [0.3, 30].map((perBit) => [name, perBit, colours] as const)),
  )('a palette of %s, %d of error a bit', (_, perBit, colours) => {
    const { animation } = drawNoise({ width: 40, height: 30, frames: 3, colours: 9, isHoly: true })
    const palette = coderPaletteOf(Uint8Array.from(colours), new Array(colours.length / 4).fill(1))
    const coding = { paletteOf: () => palette, lossOf: () => lossOf(perBit) }
    expect(coded(animation, coding)).toEqual([...codePlainly(animation, coding)])
  })
})

describe('kernels that are used again', () => {
  const large = drawNoise({ width: 120, height: 90, frames: 3, colours: 200 })
  const small = drawNoise({ width: 33, height: 21, frames: 3, colours: 20, isHoly: true })
  const codingOf = ({ histogram }: typeof large): Coding => ({
    paletteOf: exactPalettes(histogram, 3)!.of,
    lossOf: () => lossOf(2),
  })

  it('know nothing of what was coded before, were it left in the middle', () => {
    const alone = coded(small.animation, codingOf(small))
    for (const _ of codeAnimation(large.animation, codingOf(large))) break
    expect(coded(small.animation, codingOf(small))).toEqual(alone)
    let asked = 0
    const isTimeUp = (): boolean => ++asked > 2
    expect(coded(large.animation, { ...codingOf(large), isTimeUp }).length).toBeLessThan(3)
    expect(coded(small.animation, codingOf(small))).toEqual(alone)
  })

  it('code one animation again and again, each time from an empty canvas', () => {
    using coder = openAnimationCoder(small.animation)
    const codes = (perBit: number): Uint8Array[] =>
      [...coder.code({ ...codingOf(small), lossOf: () => lossOf(perBit) })].map(({ coded: { codes } }) => codes)
    const [lossless, lossy] = [codes(0), codes(2)]
    expect(lossy).toEqual(coded(small.animation, codingOf(small)).map(({ codes }) => codes))
    expect(lossy).not.toEqual(lossless)
    for (const _ of coder.code(codingOf(small))) break
    expect([codes(0), codes(2)]).toEqual([lossless, lossy])
  })

  it('code two animations in turns', () => {
    const [alone, other] = [coded(small.animation, codingOf(small)), coded(large.animation, codingOf(large))]
    const [one, two] = [small, large].map((each) => codeAnimation(each.animation, codingOf(each)))
    for (let number = 0; number < 3; number += 1) {
      expect(one!.next().value!.coded.codes).toEqual(alone[number]!.codes)
      expect(two!.next().value!.coded.codes).toEqual(other[number]!.codes)
    }
  })

  it('ask whether time is up by what they look at, not by pixels', () => {
    const questions = (perBit: number): number => {
      const { animation, histogram } = drawNoise({ width: 150, height: 150, frames: 1, colours: 255, run: 1 })
      let asked = 0
      const isTimeUp = (): boolean => {
        asked += 1
        return false
      }
      coded(animation, { paletteOf: exactPalettes(histogram, 1)!.of, lossOf: () => lossOf(perBit), isTimeUp })
      return asked
    }
    expect(questions(0)).toBeLessThan(20)
    expect(questions(1)).toBeGreaterThan(5 * questions(0))
  })

  it('refuse what is larger than their memory', () => {
    const animation = {
      width: 65_535,
      height: 65_535,
      frames: 1,
      colours: new Uint8Array(4),
      entries: new Uint16Array(),
    }
    expect(() => coded(animation, codingOf(small))).toThrow(RangeError)
    expect(coded(small.animation, codingOf(small))).toHaveLength(3)
  })
})
