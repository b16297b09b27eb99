import { luminanceSteps, zigzag } from './annex-k.ts'
import { isFrameMarker, readFrameHeader, readSteps } from './headers.ts'

/** What a JPEG's headers say, without decoding. */
export type JpegFacts = {
  width: number
  height: number
  progressive: boolean
  components: { h: number; v: number; steps: Uint16Array }[]
  /** On the scale of the Independent JPEG Group (1..100), from the luma steps. */
  quality: number
  /** Whether the luma steps are exactly that quality's; else `quality` is what is nearest in the low frequencies. */
  exact: boolean
}

/** Reads the headers up to the first scan; undefined where they are damaged or of a kind that is not read. */
export const readJpegFacts = (bytes: Uint8Array): JpegFacts | undefined => {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  const steps: (Uint16Array | undefined)[] = []
  let frame: ReturnType<typeof readFrameHeader> | undefined
  for (const { marker, data } of segments(bytes)) {
    if (marker === 0xdb) for (const table of readSteps(data)) steps[table.id] = table.steps
    if (!isFrameMarker(marker)) continue
    try {
      frame = readFrameHeader(marker, data)
    } catch {
      return undefined
    }
  }
  const components = frame?.parts.map(({ h, v, table }) => ({ h, v, steps: steps[table] }))
  if (!frame || !components?.every((c): c is JpegFacts['components'][number] => c.steps !== undefined)) return undefined
  const { width, height, progressive } = frame
  return { width, height, progressive, components, ...estimateQuality(components[0]!.steps) }
}

/** The segments before the first scan. */
function* segments(bytes: Uint8Array): Generator<{ marker: number; data: Uint8Array }> {
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff || bytes[at + 1] === 0xff) {
      at++
      continue
    }
    const marker = bytes[at + 1]!
    const length = (bytes[at + 2]! << 8) | bytes[at + 3]!
    if (marker === 0xda || length < 2) return
    yield { marker, data: bytes.subarray(at + 4, at + 2 + length) }
    at += 2 + length
  }
}

/** The luma steps the IJG's scale gives at a quality (1..100), zigzag order. */
export const ijgSteps = (quality: number): Uint16Array => {
  const scale = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality
  return Uint16Array.from(zigzag, (i) =>
    Math.max(1, Math.min(255, Math.floor((luminanceSteps[i]! * scale + 50) / 100))),
  )
}

/**
 * The IJG quality whose luma steps are nearest. Tables of other families are flatter or steeper, so the 28 lowest
 * frequencies decide, where nearly all of a photograph's bits lie, by the mean of the logarithms.
 */
export const estimateQuality = (steps: Uint16Array): { quality: number; exact: boolean } => {
  const level = (table: Uint16Array): number =>
    table.subarray(0, 28).reduce((sum, step) => sum + Math.log(Math.max(1, step)), 0)
  const wanted = level(steps)
  let best = { quality: 1, distance: Number.POSITIVE_INFINITY }
  for (let quality = 1; quality <= 100; quality++) {
    const table = ijgSteps(quality)
    if (table.every((step, k) => step === steps[k])) return { quality, exact: true }
    const distance = Math.abs(level(table) - wanted)
    if (distance < best.distance) best = { quality, distance }
  }
  return { quality: best.quality, exact: false }
}
