import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { findAppleGainMap, type GainMap, readGainMap, withGainMap } from '../../containers/gain-map.ts'
import { type GainMapMetadata, readGainMapMetadata, writeGainMapMetadata } from '../../containers/gain-map-metadata.ts'
import { type AnyRaster, type Extent, type Orientation, type Raster, uprightExtent } from '../../core/image.ts'
import type { Job } from '../../core/outcome.ts'
import { addChroma } from '../../jpeg/bitstream/add-chroma.ts'
import { hdrError } from '../../metric/hdr-error.ts'
import type { Plan } from '../../plan/plan.ts'
import type { ShownWindow } from '../../plan/shown-window.ts'
import type { LossyPreset } from '../../plan/targets.ts'
import { areaWindow } from '../../raster/area-window.ts'
import { fromPixels } from '../../raster/raw.ts'
import { nextSetting, smallestPassing } from '../../search/find-setting.ts'
import type { SettingProblem, SettingTrial } from '../../search/setting-problem.ts'
import type { Complete } from './best-result.ts'

/** Largest error of the HDR rendition by a map's own loss: root mean square in 10-bit code values of PQ. */
const MAX_ERROR: Readonly<Record<LossyPreset | 'lossless', number>> = { low: 4, medium: 2.5, high: 1.25, lossless: 0.6 }

/** Quality of a map with unreadable metadata. Chosen, not measured. */
const UNKNOWN_QUALITY = 90

/** The setting is the quality of libjpeg. The margin is ln(bound / error). */
const PROBLEM: SettingProblem = {
  axis: { min: 20, max: 98, step: 1 },
  prior: [
    [20, -1],
    [98, 1.5],
  ],
  slopeSpread: 0.5,
  noise: 0.05,
  tolerance: 0.1,
  maxTrials: 6,
}

/** Decodes a map of at most `maxPixels`. Throws if it is damaged or larger. */
const decodeMap = async (jpeg: Uint8Array, maxPixels?: number): Promise<AnyRaster> => {
  const image = sharp(jpeg, maxPixels === undefined ? {} : { limitInputPixels: maxPixels })
  const { channels: stored } = await image.metadata()
  // The samples of a map with one channel are not sRGB, so they must not be converted.
  const grey = stored === 1 ? image.toColourspace('b-w') : image
  const { data, info } = await grey.raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, channels: info.channels as 1 | 3, data }
}

const encodeMap = ({ data, width, height, channels }: AnyRaster, quality: number): Promise<Buffer> => {
  const image = sharp(data, { raw: { width, height, channels } })
  const plain = channels === 1 ? image.toColourspace('b-w') : image
  return plain.jpeg({ quality, chromaSubsampling: '4:4:4', optimiseCoding: true }).toBuffer()
}

/** Returns the map upright. */
const uprightMap = async (map: AnyRaster, orientation: Orientation): Promise<AnyRaster> => {
  if (orientation === 1) return map
  // libvips rotates by the tag of a file. A PNG with the tag is lossless.
  const { data, width, height, channels } = map
  const png = await sharp(data, { raw: { width, height, channels } }).withMetadata({ orientation }).png().toBuffer()
  const { data: turned, info } = await sharp(png)
    .autoOrient()
    .toColourspace(channels === 1 ? 'b-w' : 'srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, channels: info.channels as 1 | 3, data: turned }
}

/** Returns the smallest JPEG of a map that meets the bound on the HDR rendition. */
const searchMap = async (
  map: AnyRaster,
  { pixels, metadata, bound }: { readonly pixels: Raster; readonly metadata: GainMapMetadata; readonly bound: number },
): Promise<Buffer> => {
  const resized = fromPixels(pixels).removeAlpha().resize(map.width, map.height, { fit: 'fill' })
  const base: AnyRaster = { width: map.width, height: map.height, channels: 3, data: await resized.raw().toBuffer() }
  const trials: (SettingTrial & { readonly jpeg: Buffer })[] = []
  for (;;) {
    const next = nextSetting(PROBLEM, trials)
    if (next.kind === 'stop') break
    const jpeg = await encodeMap(map, next.setting)
    const other = await decodeMap(jpeg)
    const error = hdrError(base, { map, other, rules: metadata.channels })
    trials.push({ setting: next.setting, margin: Math.log(bound / Math.max(error, 1e-3)), bytes: jpeg.length, jpeg })
  }
  return smallestPassing(trials)?.jpeg ?? encodeMap(map, PROBLEM.axis.max)
}

/** Finds a gain map: Ultra HDR or ISO 21496-1 by libultrahdr, otherwise Apple's. */
const findGainMap = async (file: Buffer): Promise<GainMap | undefined> => {
  const announced = await sharp(file)
    .metadata()
    .then(({ gainMap }) => gainMap?.image)
    .catch(() => undefined)
  const map = announced ?? findAppleGainMap(file)
  return map === undefined ? undefined : readGainMap(map)
}

const LEFT_OUT = "The source's gain map for HDR displays is left out"

const whyLost = ({ facts, plan }: Pick<Job<Plan>, 'facts' | 'plan'>): readonly string[] => {
  if (facts.gainMap !== true) return []
  if (facts.gainMapBound === true) return [`${LEFT_OUT}: how it is applied stands in the camera's own data alone.`]
  return plan.keepGainMap === true
    ? [`${LEFT_OUT}: it cannot be read.`]
    : [`${LEFT_OUT}; format=jpeg keeps it, unless the image is padded.`]
}

/** The part of a source that its result shows. */
export interface GainMapView {
  readonly pixels: Raster
  readonly window: ShownWindow
  /** Whether the pixels differ from the source's in orientation only. */
  readonly whole: boolean
}

/** Adds the gain map to the JPEGs of a job. Warns if it is lost. */
export interface OpenGainMap {
  readonly complete: Complete
  /** Fits the map to the pixels of the result. Call it before the first result that is not the source itself. */
  readonly show: (shown: GainMapView) => Promise<void>
  readonly warnings: readonly string[]
}

/** Returns the size of a map for a result: in the same proportion as in the source, but not larger than the map's part of the window. */
const sizeFor = (map: Extent, source: Extent, { pixels, window }: GainMapView): Extent => {
  const side = (ofMap: number, ofSource: number, ofResult: number, part: number): number =>
    Math.max(1, Math.min(Math.round((ofResult * ofMap) / ofSource), Math.round(ofMap * part)))
  return {
    width: side(map.width, source.width, pixels.width, window.width),
    height: side(map.height, source.height, pixels.height, window.height),
  }
}

/** A source's gain map, and its samples. */
interface FoundGainMap extends GainMap {
  readonly samples: AnyRaster
}

const fitMap = async (found: FoundGainMap, job: Job<Plan>, shown: GainMapView): Promise<GainMap> => {
  const { facts, plan } = job
  const metadata = readGainMapMetadata(found.segments)
  const segments = metadata === undefined ? found.segments : writeGainMapMetadata(metadata)
  if (shown.whole && facts.orientation === 1) return { jpeg: found.jpeg, segments }
  const upright = await uprightMap(found.samples, facts.orientation)
  const source = uprightExtent(facts, facts.orientation)
  const map = shown.whole ? upright : areaWindow(upright, shown.window, sizeFor(upright, source, shown))
  const preset = plan.target.kind === 'score' ? plan.target.preset : 'lossless'
  const jpeg =
    metadata === undefined
      ? await encodeMap(map, UNKNOWN_QUALITY)
      : await searchMap(map, { pixels: shown.pixels, metadata, bound: MAX_ERROR[preset] })
  return { jpeg, segments }
}

const NONE = (warnings: readonly string[]): OpenGainMap => ({
  complete: async ({ data }) => data,
  show: async () => undefined,
  warnings,
})

/** Opens the source's gain map, if the plan keeps it. The map is cut, scaled and rotated like the pixels. */
export const openGainMap = async (job: Job<Plan>): Promise<OpenGainMap> => {
  const { path, plan } = job
  if (plan.keepGainMap !== true) return NONE(whyLost(job))
  const found = await findGainMap(await readFile(path))
  if (found === undefined) return NONE(whyLost(job))
  const samples = await decodeMap(found.jpeg, plan.limits.maxPixels).catch(() => undefined)
  if (samples === undefined) return NONE(whyLost(job))
  let fitted: GainMap = found
  return {
    complete: async ({ format, data, untouched }) =>
      format !== 'jpeg' ? data : untouched === true ? withGainMap(data, found) : withGainMap(addChroma(data), fitted),
    show: async (shown) => {
      fitted = await fitMap({ ...found, samples }, job, shown)
    },
    warnings: [],
  }
}
