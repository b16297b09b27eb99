import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { type SourceFacts, uprightExtent } from '../core/image.ts'
import type { Job } from '../core/outcome.ts'
import { oxipng } from '../formats/oxipng.ts'
import { stripGif, stripJpeg, stripPng } from '../formats/strip.ts'
import { restoreJpeg } from '../jpeg/restore.ts'
import type { Plan } from '../plan/plan.ts'
import type { Entry } from './shelf.ts'

/** Above this many pixels oxipng would take longer than its gain is worth. */
const OXIPNG_PIXELS = 8e6

const embeddedProfile = async (path: string): Promise<Uint8Array | undefined> =>
  sharp(path)
    .metadata()
    .then(({ icc }) => icc)
    .catch(() => undefined)

const jpegAnew = async (job: Job<Plan>, source: Uint8Array): Promise<Uint8Array> => {
  const { facts } = job
  const icc = facts.profile === 'other' ? await embeddedProfile(job.path) : undefined
  try {
    const { bytes, truncated } = restoreJpeg(source, {
      orientation: facts.orientation,
      ...(icc === undefined ? {} : { icc }),
    })
    return truncated ? new Uint8Array() : bytes
  } catch {
    return new Uint8Array() // arithmetic coding, 12 bits, damage: nothing to store anew
  }
}

const stripped = (facts: SourceFacts, source: Uint8Array): Uint8Array | undefined => {
  const kept = { orientation: facts.orientation, profile: facts.profile === 'other' }
  if (facts.format === 'jpeg') return stripJpeg(source, kept)
  if (facts.format === 'png') return stripPng(source, kept)
  return facts.format === 'gif' ? stripGif(source) : undefined
}

const pngAnew = async (job: Job<Plan>, png: Uint8Array): Promise<Uint8Array> => {
  const { facts, plan } = job
  if (facts.frames > 1 || (plan.target.kind === 'score' && facts.width * facts.height > OXIPNG_PIXELS))
    return new Uint8Array()
  try {
    return await oxipng(png, facts.width * facts.height > 1e6 ? 2 : 4, false)
  } catch {
    return new Uint8Array() // damaged: what sharp can decode of it is another way
  }
}

/** Whether the source's own bytes or coefficients may be the result. */
export const mayReturnOwn = ({ facts, plan }: Pick<Job<Plan>, 'facts' | 'plan'>): boolean =>
  plan.resize.kind === 'full' &&
  !plan.trim &&
  (plan.neverLarger || plan.formats.some((format) => format === facts.format))

const entryOf = ({ facts }: Pick<Job<Plan>, 'facts'>, data: Uint8Array): Entry => ({
  format: facts.format === 'jpeg' ? 'jpeg' : facts.format === 'gif' ? 'gif' : 'png',
  ...uprightExtent(facts, facts.orientation),
  data,
  score: 100,
  untouched: true,
  meetsTarget: true,
})

/** The source's own bytes without metadata (§3.5), at once; undefined for formats that are never returned as they are. */
export const bareSource = async (job: Job<Plan>): Promise<Entry | undefined> => {
  const bare = stripped(job.facts, await readFile(job.path))
  return bare === undefined ? undefined : entryOf(job, bare)
}

/** Storing anew gains at most so much of a source's bytes (measured: 5 to 25 %): a result far below that needs no look at it. */
const MOST_GAIN = 0.4

/**
 * The source's own coefficients or pixels in the fewest bytes (§3.2): JPEG stored anew without loss, PNG through oxipng.
 * Undefined when that is not possible, or when it cannot beat `best` bytes.
 */
export const storedAnew = async (job: Job<Plan>, best: number): Promise<Entry | undefined> => {
  const { facts, plan } = job
  if (best < facts.bytes * (1 - MOST_GAIN)) return undefined
  const source = await readFile(job.path)
  // The search on a PNG's pixels tries its lossless forms itself; only `lossless` must keep what 8-bit pixels lack.
  const isPng = facts.format === 'png' && plan.target.kind === 'lossless'
  const anew =
    facts.format === 'jpeg'
      ? await jpegAnew(job, source)
      : isPng
        ? await pngAnew(job, stripped(facts, source)!)
        : undefined
  return anew === undefined || anew.length === 0 ? undefined : entryOf(job, anew)
}
