import { readFile } from 'node:fs/promises'
import type { Deadline } from '../../core/deadline.ts'
import { uprightExtent } from '../../core/image.ts'
import type { Job } from '../../core/outcome.ts'
import { JpegRefusal } from '../../jpeg/bitstream/refusal.ts'
import { JxlRefusal, jxlFromJpeg } from '../../jxl/from-jpeg.ts'
import type { Plan } from '../../plan/plan.ts'
import type { Entry } from './best-result.ts'
import { embeddedProfile } from './passthrough.ts'

/** ms to convert a JPEG's coefficients on a slow core, per megapixel and per megabyte. Measured 30 and 90 on an idle core. */
const MS = { megapixel: 100, megabyte: 300 }
/** Lower bound of the share of a JPEG's bytes that remains in JPEG XL. Measured 0.74 to 0.97. */
const MIN_SHARE = 0.6

/** A source's coefficients as JPEG XL, or the reason without them. `late`: the conversion might exceed the deadline. */
export type OwnAsJxl =
  | { readonly kind: 'converted'; readonly entry: Entry }
  | { readonly kind: 'late' | 'useless' }
  | { readonly kind: 'refused'; readonly why: string }

const isOwn = ({ facts, plan }: Job<Plan>): boolean =>
  facts.format === 'jpeg' && plan.resize.kind === 'full' && !plan.trim && plan.formats.includes('jxl')

/** Stores a JPEG source's own coefficients as JPEG XL (§3.2), if the plan allows it and the file may be smaller than `best` bytes. */
export const ownAsJxl = async (job: Job<Plan>, best: number, { remaining }: Deadline): Promise<OwnAsJxl> => {
  const { facts } = job
  if (!isOwn(job) || best < facts.bytes * MIN_SHARE) return { kind: 'useless' }
  const expectedMs = ((facts.width * facts.height) / 1e6) * MS.megapixel + (facts.bytes / 1e6) * MS.megabyte
  if (expectedMs > remaining()) return { kind: 'late' }
  const icc = facts.profile === 'other' ? await embeddedProfile(job.path) : undefined
  try {
    const { orientation } = facts
    const { bytes, truncated } = jxlFromJpeg(await readFile(job.path), {
      orientation,
      ...(icc === undefined ? {} : { icc }),
    })
    if (truncated) return { kind: 'useless' }
    const extent = uprightExtent(facts, orientation)
    return {
      kind: 'converted',
      entry: { format: 'jxl', ...extent, data: bytes, score: 100, untouched: true, meetsTarget: true },
    }
  } catch (error) {
    if (!(error instanceof JxlRefusal || error instanceof JpegRefusal)) throw error
    return { kind: 'refused', why: error.message }
  }
}
