import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { withoutAvifItems } from '../../containers/avif-items.ts'
import { isBareAvif } from '../../containers/bare-avif.ts'
import { withMark } from '../../containers/mark/mark.ts'
import { stripMetadata } from '../../containers/strip/strip.ts'
import type { Deadline } from '../../core/deadline.ts'
import { type SourceFacts, type StillFormat, uprightExtent } from '../../core/image.ts'
import type { Job } from '../../core/outcome.ts'
import { oxipng } from '../../formats/oxipng.ts'
import { transcodeJpeg } from '../../jpeg/bitstream/transcode.ts'
import type { Plan } from '../../plan/plan.ts'
import { MS_PER_MEGAPIXEL } from '../../search/budget.ts'
import type { Entry } from './best-result.ts'

/** ms to recompress a JPEG on a slow core, per megapixel and per megabyte. Measured 150 and 600 on an idle core. */
const JPEG_MS = { megapixel: 300, megabyte: 1200 }

/** Returns the embedded profile of a source, or undefined without a readable one. */
export const embeddedProfile = async (path: string): Promise<Uint8Array | undefined> =>
  sharp(path)
    .metadata()
    .then(({ icc }) => icc)
    .catch(() => undefined)

const recompressJpeg = async (job: Job<Plan>, source: Uint8Array): Promise<Uint8Array> => {
  const { facts } = job
  const icc = facts.profile === 'other' ? await embeddedProfile(job.path) : undefined
  try {
    const { bytes, truncated } = transcodeJpeg(source, {
      orientation: facts.orientation,
      ...(icc === undefined ? {} : { icc }),
    })
    return truncated ? new Uint8Array() : bytes
  } catch {
    return new Uint8Array() // arithmetic coding, 12 bits, damage: cannot be recompressed
  }
}

const stripped = (facts: SourceFacts, source: Uint8Array): Uint8Array | undefined => {
  const pieces = stripMetadata(facts, source)
  return pieces === undefined ? undefined : Buffer.concat([...pieces])
}

const recompressPng = async ({ facts }: Job<Plan>, png: Uint8Array): Promise<Uint8Array> => {
  if (facts.frames > 1) return new Uint8Array()
  try {
    return await oxipng(png, facts.width * facts.height > 1e6 ? 2 : 4, false)
  } catch {
    return new Uint8Array() // damaged: the search uses the pixels that sharp can decode
  }
}

const entryOf = ({ facts }: Pick<Job<Plan>, 'facts'>, data: Uint8Array): Entry => ({
  format: facts.format as StillFormat,
  ...uprightExtent(facts, facts.orientation),
  data,
  score: 100,
  untouched: true,
  meetsTarget: true,
})

/** Returns the source without metadata. Returns an AVIF only if it is marked and bare, since any other one may contain metadata anywhere. */
const bareOf = ({ facts, plan }: Job<Plan>, source: Buffer): Uint8Array | undefined => {
  if (facts.format !== 'avif' || plan.spent === undefined) return stripped(facts, source)
  const bare = withMark('avif', withoutAvifItems(source) ?? source, undefined)
  return isBareAvif(Buffer.from(bare)) ? bare : undefined
}

/** Returns the source's own bytes without metadata (§3.5), or undefined for formats that are never returned unchanged. */
export const bareSource = async (job: Job<Plan>): Promise<Entry | undefined> => {
  const bare = bareOf(job, await readFile(job.path))
  return bare === undefined ? undefined : entryOf(job, bare)
}

/** Upper bound of the share of bytes that recoding saves. Measured 5 to 25 %. A result far below needs no recoding. */
const MAX_RECODING_GAIN = 0.4

/** Expected ms to recompress a source, which cannot be interrupted. */
const expectedMs = ({ format, width, height, bytes }: SourceFacts): number => {
  const megapixels = (width * height) / 1e6
  return format === 'jpeg'
    ? megapixels * JPEG_MS.megapixel + (bytes / 1e6) * JPEG_MS.megabyte
    : megapixels * MS_PER_MEGAPIXEL.png
}

/** `late`: not started, because it might exceed the deadline. `useless`: not smaller than the best result, or not possible. */
export type Recompressed = { readonly kind: 'stored'; readonly entry: Entry } | { readonly kind: 'late' | 'useless' }

/**
 * Recompresses the source's own coefficients or pixels (§3.2) without loss: JPEG by our entropy coder, PNG by oxipng.
 */
export const recompress = async (job: Job<Plan>, best: number, { remaining }: Deadline): Promise<Recompressed> => {
  const { facts, plan } = job
  // The search for PNG tests lossless forms itself. Only `lossless` must keep samples of more than 8 bits.
  const isPng = facts.format === 'png' && plan.target.kind === 'lossless'
  if (best < facts.bytes * (1 - MAX_RECODING_GAIN) || (facts.format !== 'jpeg' && !isPng)) return { kind: 'useless' }
  // With `lossless` nothing else competes for the time, and the source's own bytes are already a result.
  const caution = plan.target.kind === 'lossless' ? 0.6 : 1
  if (expectedMs(facts) * caution > remaining()) return { kind: 'late' }
  const source = await readFile(job.path)
  const recompressed = isPng ? await recompressPng(job, stripped(facts, source)!) : await recompressJpeg(job, source)
  return recompressed.length === 0 ? { kind: 'useless' } : { kind: 'stored', entry: entryOf(job, recompressed) }
}
