import { afterEach, describe, expect, it, vi } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import type { AnyRaster, Raster } from '../../src/core/image.ts'
import { type Candidate, IDENTICAL, type SearchRequest } from '../../src/formats/format.ts'
import { countColours } from '../../src/formats/palette/histogram.ts'
import { exactPalette } from '../../src/formats/palette/remap.ts'
import { writeIndexedPng } from '../../src/formats/palette/write-png.ts'
import { writeSmallestPng } from '../../src/formats/palette/write-smallest.ts'
import { png } from '../../src/formats/png.ts'
import { openStepPace } from '../../src/formats/step-pace.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { survey } from '../../src/raster/survey.ts'

const filled = (width: number, height: number, colourAt: (place: number) => number): Raster => ({
  width,
  height,
  channels: 3,
  data: Uint8Array.from({ length: width * height * 3 }, (_, i) => colourAt(Math.floor(i / 3))),
})

const MEDIUM: SearchRequest['wanted'] = { kind: 'score', goal: { score: 70, slack: 1 } }

/** The files of a search, and how often a candidate was measured as a whole. */
const searchOf = async (
  pixels: Raster,
  wanted: SearchRequest['wanted'] = MEDIUM,
  others: Partial<SearchRequest> = {},
  onEstimate: (bytes: number) => void = () => undefined,
): Promise<{ files: Candidate[]; measured: number }> => {
  let measured = 0
  const request: SearchRequest = {
    pixels,
    features: survey(pixels),
    wanted,
    examine: () => {
      measured += 1
      return IDENTICAL
    },
    ssimulacra2: () => 100,
    tileScore: () => 100,
    mostButteraugli: 1.5,
    examinePart: () => {
      throw new Error('these images are searched as a whole')
    },
    deadline: deadlineIn(60_000),
    pace: openStepPace(),
    alone: false,
    bytesToBeat: () => Number.POSITIVE_INFINITY,
    encoded: () => undefined,
    outOfTime: () => undefined,
    ...others,
  }
  const files: Candidate[] = []
  for await (const step of png.search(request)) {
    if (step.kind === 'candidate') files.push(step)
    else onEstimate(step.bytes)
  }
  return { files, measured }
}

const noise = (place: number): number => (place * 7919) % 251

describe('the search for a palette', () => {
  it('tries palettes for an image of many colours', async () => {
    const { measured } = await searchOf(filled(64, 64, noise))
    expect(measured).toBeGreaterThan(0)
  })

  it('tries none for an image of two colours', async () => {
    const { files, measured } = await searchOf(filled(64, 64, (place) => (noise(place) > 125 ? 255 : 0)))
    expect([measured, files.every(({ lossless }) => lossless)]).toEqual([0, true])
  })
})

describe('a drawing of more than 256 colours that is wanted as PNG alone', () => {
  /** Rows of flat blocks of 8 px, in 1,024 colours. */
  const drawing = filled(256, 256, (place) => (Math.floor((place % 256) / 8) * 32 + Math.floor(place / 2048)) % 251)

  const coloured = {
    ...drawing,
    data: drawing.data.map((level, i) => (i % 3 === 0 ? level : (level * (i % 3) + (i >> 11)) & 255)),
  }
  /** Time in which the search of palettes may not end. */
  const SHORT_MS = 400
  /** The same, for a large drawing. */
  const SHORT_FOR_LARGE_MS = 600
  /** No palette passes on the busy blocks. */
  const examinePart = () => {
    const part = { examine: () => IDENTICAL, ssimulacra2: () => 0, tileScore: () => 100, mostButteraugli: 1.5 }
    return { ...part, [Symbol.dispose]: () => undefined }
  }
  /** Less than a trial and storing take, more than storing with little effort. */
  const STORING_MS = 19.7
  it('has the largest palette first where time may end during the search, and none passes on its busy blocks', async () => {
    const deadline = { ...deadlineIn(60_000), remaining: () => SHORT_MS }
    const { files } = await searchOf(coloured, MEDIUM, { alone: true, deadline, examinePart })
    const [first] = files.filter(({ lossless }) => !lossless)
    expect(survey(coloured).colours).toBeGreaterThan(256)
    const shown = await toPixels(first!.bytes)
    expect(countColours(shown).counts.length).toBeGreaterThan(200)
    expect(survey(shown).colours).toBeLessThanOrEqual(256)
  })

  it('has a palette that trials on its busy blocks found first', async () => {
    // 512 colours that differ by little: every palette passes.
    const grey = filled(1000, 800, () => 0)
    const blocks = [(x: number) => x >> 3, (_: number, y: number) => y >> 3, (x: number, y: number) => (x + y) >> 3]
    const data = grey.data.map((_, i) => {
      const place = Math.floor(i / 3)
      return 100 + (blocks[i % 3]!(place % 1000, Math.floor(place / 1000)) & 7)
    })
    const part = { examine: () => IDENTICAL, ssimulacra2: () => 100, tileScore: () => 100, mostButteraugli: 1.5 }
    const { files } = await searchOf({ ...grey, data }, MEDIUM, {
      alone: true,
      examinePart: () => ({ ...part, [Symbol.dispose]: () => undefined }),
      deadline: { ...deadlineIn(60_000), remaining: () => SHORT_FOR_LARGE_MS },
    })
    const [first] = files.filter(({ lossless }) => !lossless)
    expect(countColours(await toPixels(first!.bytes)).counts.length).toBeLessThan(200)
  })

  it('stores the largest palette in fewer bytes where no time is left for a search', async () => {
    let first = true
    // Time for the largest palette, then for storing alone.
    const remaining = () => (first ? SHORT_MS : STORING_MS)
    const deadline = { ...deadlineIn(60_000), remaining }
    const { files } = await searchOf(coloured, MEDIUM, {
      alone: true,
      deadline,
      examinePart,
      encoded: () => undefined,
      examine: () => {
        first = false
        return IDENTICAL
      },
    })
    const lossy = files.filter(({ lossless }) => !lossless)
    expect(lossy).toHaveLength(2)
    expect(lossy[1]!.bytes.length).toBeLessThan(lossy[0]!.bytes.length)
    expect(Buffer.compare((await toPixels(lossy[1]!.bytes)).data, (await toPixels(lossy[0]!.bytes)).data)).toBe(0)
  })
})

describe('a photograph in haste that is wanted as PNG alone', () => {
  const grain = (i: number): number => Math.imul((Math.imul(i + 1, 0x9e3779b1) >>> 15) ** 2, 0x85ebca6b) >>> 24
  /** More colours than palettes are tried for first. */
  const sky = {
    ...filled(256, 256, () => 0),
    data: Uint8Array.from({ length: 256 * 256 * 3 }, (_, i) => 100 + (grain(i) & 31)),
  }
  const hasty = { ...deadlineIn(60_000), remaining: () => 400 }

  afterEach(() => void vi.restoreAllMocks())

  it.each([
    ['before any file without loss where the source is an answer', 1e6, true],
    ['after a file without loss where there is no answer', Number.POSITIVE_INFINITY, false],
  ])('has few levels a channel %s', async (_, bytesToBeat, lossyFirst) => {
    const others = { alone: true, deadline: hasty, bytesToBeat: () => bytesToBeat }
    const { files } = await searchOf(sky, MEDIUM, others)
    const places = [files.findIndex(({ lossless }) => !lossless), files.findIndex(({ lossless }) => lossless)] as const
    expect(places[0] < places[1]).toBe(lossyFirst)
    const { data } = await toPixels(files[places[0]]!.bytes)
    expect(new Set(data).size).toBeLessThan(8)
  })

  it('has few levels a channel where there is no time for a palette', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0)
    const deadline = { ...hasty, remaining: () => 230 * (256 / 1000) ** 2 }
    const { files } = await searchOf(sky, MEDIUM, { alone: true, deadline, bytesToBeat: () => 1e6 })
    expect(files.filter(({ lossless }) => !lossless)).toHaveLength(1)
  })
})

describe('a large image, whose palette was found on a part of it,', () => {
  const pixels = filled(1000, 800, (place) => noise(place))
  const alike = IDENTICAL
  const part = { examine: () => alike, ssimulacra2: () => 100, tileScore: () => 100, mostButteraugli: 1.5 }
  const examinePart = () => ({ ...part, [Symbol.dispose]: () => undefined })
  /** Searches next to another format, whose file takes `share` of the first estimate. */
  const searchBeside = (share: number) => {
    let best = Number.POSITIVE_INFINITY
    return searchOf(pixels, MEDIUM, { examinePart, bytesToBeat: () => best }, (bytes) => {
      if (best === Number.POSITIVE_INFINITY) best = bytes * share
    })
  }

  it('is not measured as a whole where the file of another format is smaller than its estimate', async () => {
    const { files, measured } = await searchBeside(0.9)
    expect([measured, files.every(({ lossless }) => lossless)]).toEqual([0, true])
  })

  it('is measured as a whole where its estimate is smaller than the file of another format', async () => {
    const { files, measured } = await searchBeside(1.2)
    expect([measured > 0, files.some(({ lossless }) => !lossless)]).toEqual([true, true])
  })

  it('is measured as a whole without an estimate where no other format is searched', async () => {
    const estimates: number[] = []
    const alone = { examinePart, alone: true }
    const { measured } = await searchOf(pixels, MEDIUM, alone, (bytes) => estimates.push(bytes))
    expect(measured).toBeGreaterThan(0)
    expect(estimates).toHaveLength(1)
  })
})

it('an image that no palette shows well has few levels a channel also next to other formats, after an estimate', async () => {
  const grain = (i: number): number => Math.imul((Math.imul(i + 1, 0x9e3779b1) >>> 15) ** 2, 0x85ebca6b) >>> 24
  const pixels = { ...filled(90, 90, () => 0), data: Uint8Array.from({ length: 90 * 90 * 3 }, (_, i) => grain(i)) }
  const ssimulacra2 = (shown: AnyRaster): number => (survey(shown as Raster).colours > 256 ? 100 : 0)
  const estimates: number[] = []
  const { files } = await searchOf(pixels, MEDIUM, { ssimulacra2 }, (bytes) => estimates.push(bytes))
  const lossy = files.filter(({ lossless }) => !lossless)
  expect(lossy).toHaveLength(1)
  expect(estimates[0]).toBeLessThan(lossy[0]!.bytes.length)
})

it.each([
  ['black and white', [0, 255], 'grey'],
  ['four even greys', [0, 85, 170, 255], 'grey'],
  ['two greys that one bit does not have', [0, 170], 'palette'],
])('%s: %j is stored as %s', async (_, levels, stored) => {
  const pixels = filled(200, 200, (place) => levels[noise(place) % levels.length]!)
  const bytes = await writeSmallestPng(exactPalette(pixels, countColours(pixels)))
  expect(bytes[25] === 0 ? 'grey' : 'palette').toBe(stored)
  expect(Buffer.compare((await toPixels(bytes)).data, pixels.data)).toBe(0)
})

it('an image whose rows are alike is stored by their differences', async () => {
  const pixels = filled(1200, 600, (place) => (Math.floor(Math.sqrt(place % 1200) * 7) % 12) * 20)
  const { files } = await searchOf(pixels, { kind: 'lossless' })
  const plain = writeIndexedPng(exactPalette(pixels, countColours(pixels)), 9)
  const { bytes } = files.at(-1)!
  expect(bytes.length).toBeLessThan(plain.length * 0.7)
  expect(Buffer.compare((await toPixels(bytes)).data, pixels.data)).toBe(0)
})

it('a gradient of many colours is stored by its differences, without a resolution', async () => {
  const data = Uint8Array.from({ length: 200 * 200 * 3 }, (_, i) => [i % 600, i / 600, 384][i % 3]! / 3)
  const { files } = await searchOf({ width: 200, height: 200, channels: 3, data })
  const { bytes, lossless } = files.at(-1)!
  expect(lossless).toBe(true)
  expect(bytes.length).toBeLessThan(1000)
  expect(Buffer.from(bytes).includes('pHYs')).toBe(false)
})

it('a palette that has passed is stored although no time is left for a smaller one', async () => {
  const colours = filled(96, 96, (place) => ((place % 96) * 2 + Math.floor(place / 96) * 3 + place * 7) & 255)
  for (let i = 2; i < colours.data.length; i += 3) colours.data[i] = Math.floor(i / 300) & 255
  let left = 1e9
  const others: Partial<SearchRequest> = {
    deadline: { ...deadlineIn(60_000), remaining: () => left },
    examine: () => {
      left = 1
      return IDENTICAL
    },
  }
  const { files } = await searchOf(colours, MEDIUM, others)
  expect(files.filter(({ lossless }) => !lossless)).toHaveLength(1)
})
