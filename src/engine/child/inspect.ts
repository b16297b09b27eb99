import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import { findAttention } from '../../attention/find-attention.ts'
import { deadlineIn } from '../../core/deadline.ts'
import { type Raster, type SourceFacts, uprightExtent } from '../../core/image.ts'
import type { FoundFace, Information } from '../../core/information.ts'
import type { Job } from '../../core/outcome.ts'
import { ESTIMATE_PIXELS } from '../../formats/jpeg-estimate.ts'
import { colourSpace } from '../../information/colour-space.ts'
import { dominantColour } from '../../information/dominant-colour.ts'
import { hasGainMap } from '../../information/gain-map.ts'
import { openAnimation } from '../../motion/frames/animation.ts'
import type { Plan } from '../../plan/plan.ts'
import { shortlist } from '../../plan/shortlist.ts'
import { selectBusyBlocks } from '../../raster/busy-blocks.ts'
import { decode } from '../../raster/decode.ts'
import { fromPixels } from '../../raster/raw.ts'
import { survey } from '../../raster/survey.ts'
import { staged } from '../../support/stages.ts'
import { withoutUndefined } from '../../support/without-undefined.ts'
import { openBestResult } from './best-result.ts'
import { loadSvg } from './load-svg.ts'
import { optimise } from './optimise.ts'
import type { Report } from './report.ts'
import { searchFormats } from './search-formats.ts'

/** Maximum pixels to examine. A larger image is scaled down. Chosen, not measured. */
const LOOK_PIXELS = 12e6
/** Maximum px of a side that ThumbHash accepts. */
const HASH_SIDE = 100
/** Time limit of the search for the estimate, ms. Chosen, not measured. */
const ESTIMATE_MS = 4000
/** Maximum faces in the report, the most confident ones. Chosen, not measured. */
const MAX_FACES = 100

/** Returns the upright image with at most LOOK_PIXELS. */
const look = async ({ path, facts, plan }: Job<Plan>): Promise<Raster> => {
  const { width, height } = uprightExtent(facts, facts.orientation)
  const scale = Math.min(1, Math.sqrt(LOOK_PIXELS / (width * height)))
  const wanted = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
  if (facts.format === 'svg') {
    const { drawSvg, openSvg } = await loadSvg()
    return drawSvg({ root: (await openSvg(path)).root, size: { width, height }, output: wanted })
  }
  return (await decode({ path, facts, limits: plan.limits, ...(scale < 1 ? { wanted } : {}) })).pixels
}

const small = async (pixels: Raster): Promise<Raster<4>> => {
  const image = fromPixels(pixels).resize(HASH_SIDE, HASH_SIDE, { fit: 'inside', withoutEnlargement: true })
  const { data, info } = await image.ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, channels: 4, data }
}

/** Longer side of a preview in px. Browsers enlarge it smoothly. */
const PREVIEW_SIDE = 16
/** WebP quality of a preview. It is blurred, so artefacts are invisible. Chosen, not measured. */
const PREVIEW_QUALITY = 40

/** Returns the preview as a data URL. */
const previewOf = async (pixels: Raster): Promise<string> => {
  const image = fromPixels(pixels).resize(PREVIEW_SIDE, PREVIEW_SIDE, { fit: 'inside', withoutEnlargement: true })
  const webp = await image.webp({ quality: PREVIEW_QUALITY, effort: 6 }).toBuffer()
  return `data:image/webp;base64,${webp.toString('base64')}`
}

const isAnimated = ({ format, frames }: SourceFacts): boolean => frames > 1 && ['gif', 'webp', 'png'].includes(format)

const durationOf = async ({ path, facts }: Job<Plan>): Promise<number | undefined> =>
  isAnimated(facts) ? (await openAnimation(path, facts)).delays.reduce((sum, ms) => sum + ms, 0) : undefined

/** Returns the decoder's description of the stored samples, or nothing for formats that sharp does not decode. */
const storedColours = ({ path, facts }: Job<Plan>) =>
  facts.format === 'svg'
    ? {}
    : sharp(path, { limitInputPixels: false })
        .metadata()
        .catch(() => ({}))

const rounded = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 10_000) / 10_000

const attentionOf = async (pixels: Raster, report: Report): Promise<Pick<Information, 'faces' | 'focus'>> => {
  let installed = true
  const found = await findAttention(pixels, (message) => {
    installed = false
    report.notice?.(message)
  })
  const focus = { x: rounded(found.focus.x), y: rounded(found.focus.y) }
  const face = ({ x, y, width, height, score }: FoundFace): FoundFace => ({
    x: rounded(x),
    y: rounded(y),
    width: rounded(width),
    height: rounded(height),
    score: rounded(score),
  })
  const faces = found.faces.toSorted((one, other) => other.score - one.score).slice(0, MAX_FACES)
  return { ...(installed ? { faces: faces.map(face) } : {}), focus }
}

/** Returns a report with its own deadline that reaches no client. */
const quietly = (report: Report): Report => ({
  deadline: deadlineIn(ESTIMATE_MS, report.deadline.signal),
  offer: () => undefined,
  stage: () => undefined,
})

/** Searches the whole image. Returns undefined without a result in time. */
const estimateWhole = async (job: Job<Plan>, report: Report): Promise<Information['estimate']> => {
  const result = await optimise(job, report)
  const isSearched = result.untouched !== true || result.cutShort !== true
  return isSearched ? { format: result.format, bytes: result.bytes } : undefined
}

/** Searches the busy blocks of a large image, and scales the bytes to the whole image. */
const estimatePart = async (job: Job<Plan>, pixels: Raster, report: Report): Promise<Information['estimate']> => {
  const { facts, plan, directory } = job
  const blocks = selectBusyBlocks(pixels, ESTIMATE_PIXELS)
  if (blocks === undefined) return undefined
  const candidates = openBestResult(directory, report)
  const settled = { pixels: blocks.pixels, features: survey(blocks.pixels), target: plan.target }
  const { formats } = shortlist(plan, settled.features, settled.pixels)
  await searchFormats(report, candidates, { ...settled, formats, unlikely: [], density: 1, known: {} })
  const best = candidates.best()
  if (best === undefined) return undefined
  const scale = (blocks.busy * facts.width * facts.height) / (blocks.pixels.width * blocks.pixels.height)
  const bytes = Math.max(1, Math.round(best.bytes * scale))
  return { format: best.format, bytes: plan.neverLarger ? Math.min(bytes, facts.bytes) : bytes }
}

/** Estimates the plan's result by a short search. Returns undefined for animations. */
const estimateOf = async (job: Job<Plan>, pixels: Raster, report: Report): Promise<Information['estimate']> => {
  const { facts } = job
  if (facts.frames > 1) return undefined
  const isSmall = facts.format === 'svg' || facts.width * facts.height < 2 * ESTIMATE_PIXELS
  const quiet = quietly(report)
  const estimating = isSmall ? estimateWhole(job, quiet) : estimatePart(job, pixels, quiet)
  return estimating.catch(() => undefined)
}

/** Describes an image (§9.1), with an estimate of the job's plan. Fails with SOURCE_DAMAGED when nothing can be decoded. */
export const inspect = async (job: Job<Plan>, report: Report): Promise<Information> => {
  const { facts, path } = job
  const pixels = await staged(report, 'decode', () => look(job))
  const tiny = await small(pixels)
  const attention = await staged(report, 'attention', () => attentionOf(pixels, report))
  const estimate = await staged(report, 'search', () => estimateOf(job, pixels, report))
  const { width, height } = uprightExtent(facts, facts.orientation)
  const known = withoutUndefined({
    bitDepth: facts.depth,
    durationMs: await durationOf(job),
    jpegQuality: facts.jpeg?.quality,
  })
  return {
    format: facts.format,
    width: Math.max(1, Math.round(width)),
    height: Math.max(1, Math.round(height)),
    bytes: facts.bytes,
    orientation: facts.orientation,
    colourSpace: colourSpace(facts, await storedColours(job)),
    alpha: !survey(pixels).opaque,
    frames: facts.frames,
    ...known,
    gainMap: hasGainMap(facts, await readFile(path)),
    dominantColour: dominantColour(tiny),
    preview: await previewOf(tiny),
    thumbHash: Buffer.from(rgbaToThumbHash(tiny.width, tiny.height, tiny.data)).toString('base64'),
    ...attention,
    ...withoutUndefined({ estimate }),
  }
}
