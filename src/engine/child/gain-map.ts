import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { type GainMap, readGainMap, withGainMap } from '../../containers/gain-map.ts'
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

/** What lies behind a JPEG of this job: the source's gain map where the plan keeps it, else nothing. Tells whether one was lost. */
export const openGainMap = async ({ path, facts, plan }: Job<Plan>): Promise<{ complete: Complete; lost: boolean }> => {
  if (plan.keepGainMap !== true) return { complete: AS_IT_IS, lost: facts.gainMap === true }
  const found = await sharp(await readFile(path))
    .metadata()
    .then(({ gainMap }) => (gainMap === undefined ? undefined : readGainMap(gainMap.image)))
    .catch(() => undefined)
  if (found === undefined) return { complete: AS_IT_IS, lost: true }
  const turned = await upright(found, facts.orientation)
  return {
    complete: async ({ format, data, untouched }) =>
      format === 'jpeg' ? withGainMap(data, untouched === true ? found : turned) : data,
    lost: false,
  }
}
