import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { findAppleGainMap, type GainMap, readGainMap, withGainMap } from '../../containers/gain-map.ts'
import type { Orientation } from '../../core/image.ts'
import type { Job } from '../../core/outcome.ts'
import type { Plan } from '../../plan/plan.ts'
import { AS_IT_IS, type Complete } from './best-result.ts'

/** Quality of a gain map that had to be turned: its blocks are spread over many pixels. */
const TURNED_QUALITY = 90

/** A gain map as it lies behind pixels that were turned upright. */
const upright = async (map: GainMap, orientation: Orientation): Promise<GainMap> => {
  if (orientation === 1) return map
  // libvips turns by the tag that it reads, so the tag is written first.
  const tagged = await sharp(map.jpeg).withMetadata({ orientation }).jpeg({ quality: 100 }).toBuffer()
  return { ...map, jpeg: await sharp(tagged).autoOrient().jpeg({ quality: TURNED_QUALITY }).toBuffer() }
}

/** Ultra HDR and ISO 21496-1 as libultrahdr finds them, else Apple's. */
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
    : [`${LEFT_OUT}; it is kept in JPEG at the size of the source.`]
}

/** What lies behind a JPEG of this job: the source's gain map where the plan keeps it, else nothing; and what is said of one that is lost. */
export const openGainMap = async (
  job: Job<Plan>,
): Promise<{ readonly complete: Complete; readonly warnings: readonly string[] }> => {
  const { path, facts, plan } = job
  if (plan.keepGainMap !== true) return { complete: AS_IT_IS, warnings: whyLost(job) }
  const found = await findGainMap(await readFile(path))
  if (found === undefined) return { complete: AS_IT_IS, warnings: whyLost(job) }
  const turned = await upright(found, facts.orientation)
  return {
    complete: async ({ format, data, untouched }) =>
      format === 'jpeg' ? withGainMap(data, untouched === true ? found : turned) : data,
    warnings: [],
  }
}
