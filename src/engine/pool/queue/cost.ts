import type { OutputFormat } from '../../../core/image.ts'
import type { Job } from '../../../core/outcome.ts'
import type { Plan } from '../../../plan/plan.ts'

/** Rough duration of a search of each format for the same pixels, relative to JPEG. */
const WEIGHTS: Readonly<Record<OutputFormat, number>> = {
  jpeg: 1,
  png: 2,
  gif: 2,
  webp: 2,
  avif: 6,
  jxl: 1.5,
  svg: 1,
  webm: 10,
  h264: 5,
}

/** Cost of the smallest image, in megapixels of JPEG. */
const BASE = 0.2

/** Estimates the cost of a job in megapixels of JPEG, before it is decoded. The fair queue shares workers by cost. */
export const costOf = ({ facts, plan }: Pick<Job<Plan>, 'facts' | 'plan'>): number => {
  const frames = plan.animated ? facts.frames : 1
  const megapixels = (facts.width * facts.height * frames) / 1e6
  return BASE + megapixels * plan.formats.reduce((sum, format) => sum + WEIGHTS[format], 0)
}
