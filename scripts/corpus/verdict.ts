import type { Extent } from '../../src/core/image.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import type { Options } from '../../src/options/options.ts'
import { readVideo } from '../../test/motion/read-video.ts'
import type { Reply } from './ask.ts'
import { expectedSize } from './expected-size.ts'
import type { CorpusFile } from './files.ts'
import {
  comparedSize,
  decodePicture,
  decodeStrip,
  look,
  type Picture,
  reduced,
  referenceOf,
  type Seen,
  trimmed,
} from './reference.ts'

/** Faults of an answer; each is a fault of the service. */
export type Fault = 'fault' | 'hang' | 'status' | 'size' | 'pixels' | 'larger' | 'header'

export interface Verdict {
  readonly faults: readonly Fault[]
  /** Why, in words. */
  readonly remarks: readonly string[]
  /** SSIMULACRA 2.1 against an independently made reference, at a reduced size. */
  readonly score?: number
}

/** A source as far as it can be read without the service. */
export interface Source {
  readonly seen: Seen
  /** Its (first) frame, upright. */
  readonly picture: () => Promise<Picture>
  /** A drawing at `scale` times its size. */
  readonly drawn: (scale: number) => Promise<Picture>
  /** The first frame without the border that all frames share. */
  readonly trimmed: () => Promise<Picture>
}

/** Does the work when it is first asked for, and only then. */
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Looks at a source; undefined where it is no image, or none that can be read whole. */
export const readSource = async ({ path }: CorpusFile): Promise<Source | undefined> => {
  const seen = await look(path).catch(() => undefined)
  if (seen === undefined) return undefined
  const picture = once(() => decodePicture(path))
  const strip = seen.playMs === undefined ? picture : () => decodeStrip(path)
  return {
    seen,
    picture,
    drawn: (scale) => decodePicture(path, scale),
    trimmed: once(async () => trimmed(await strip(), seen.height)),
  }
}

/** Results of the presets score above 50 at this size; another image, orientation or colour space scores far lower. */
const MIN_SCORE = 25
/** Statuses that the contract documents for errors of a source or a request (§6). */
const DOCUMENTED = new Set([400, 402, 403, 404, 405, 408, 413, 415, 422, 429])
/** A source of these never grows when nothing but its bytes is to change (§3.4). */
const NEVER_LARGER = new Set(['jpeg', 'png', 'gif', 'svg'])

/** Sources that `lossless` promises the same pixels of (§3.3); the others become what §4.2 allows. */
const EXACT = new Set(['jpeg', 'png', 'gif'])

const metric = openSsimulacra2()

const sameSize = (a: Extent, b: Extent): boolean => a.width === b.width && a.height === b.height
const sizeText = ({ width, height }: Extent): string => `${width}x${height}`

const largestDifference = (a: Picture, b: Picture): number => {
  let most = 0
  for (let at = 0; at < a.data.length; at += 4) {
    const clear = a.data[at + 3] === 0 && b.data[at + 3] === 0
    for (let channel = clear ? 3 : 0; channel < 4; channel++)
      most = Math.max(most, Math.abs(a.data[at + channel]! - b.data[at + channel]!))
  }
  return most
}

interface Case {
  readonly file: CorpusFile
  readonly source: Source | undefined
  readonly options: Options
  readonly reply: Reply
  readonly hangMs: number
}

const isWhole = ({ resize, trim, format }: Options): boolean => resize.kind === 'full' && !trim && format === 'auto'

/** Judges the pixels of a result against what the source and the options call for. */
const judgePixels = async ({ source, options, reply, file }: Case): Promise<Verdict> => {
  if (source === undefined) return { faults: [], remarks: [] }
  const made = await look(reply.body)
  const vector = source.seen.format === 'svg'
  const whole = options.trim ? await source.trimmed() : source.seen
  const wanted = expectedSize(options, whole, vector)
  // A drawing's size may be a fraction, which its markup keeps and its pixels round.
  const near = vector && Math.abs(made.width - wanted.width) <= 1 && Math.abs(made.height - wanted.height) <= 1
  if (!near && !sameSize(made, wanted))
    return { faults: ['size'], remarks: [`${sizeText(made)} px instead of ${sizeText(wanted)}`] }
  if (made.playMs !== source.seen.playMs && made.playMs !== undefined && source.seen.playMs !== undefined)
    return { faults: ['pixels'], remarks: [`plays ${made.playMs} ms instead of ${source.seen.playMs}`] }
  // Decoders differ on damaged files, and sharp does not read animated PNG.
  if (file.category === 'bad' || source.seen.apng) return { faults: [], remarks: [] }
  return judgeLook({ source, options, reply, made })
}

/** Video has even sides: a row or column may be missing, and of one px two are made. */
const isEvenOf = (side: number, wanted: number): boolean => side === Math.max(2, wanted - (wanted % 2))

/** Judges what a video says of itself; how its frames look is judged by `npm run test:browser`. */
const judgeVideo = async ({ source, options, reply }: Case): Promise<Verdict> => {
  if (source === undefined) return { faults: [], remarks: [] }
  const made = await readVideo(reply.body)
  const wanted = expectedSize(options, options.trim ? await source.trimmed() : source.seen, false)
  if (!isEvenOf(made.width, wanted.width) || !isEvenOf(made.height, wanted.height))
    return { faults: ['size'], remarks: [`${sizeText(made)} px instead of ${sizeText(wanted)}`] }
  const { playMs } = source.seen
  return playMs === undefined || Math.abs(made.durationMs - playMs) < 1
    ? { faults: [], remarks: [] }
    : { faults: ['pixels'], remarks: [`plays ${made.durationMs} ms instead of ${playMs}`] }
}

const judgeLook = async ({
  source,
  options,
  reply,
  made,
}: Pick<Case, 'options' | 'reply'> & { source: Source; made: Seen }): Promise<Verdict> => {
  const vector = source.seen.format === 'svg'
  // How much of a drawing is border is found on another drawing than this one.
  if (vector && options.trim) return { faults: [], remarks: [] }
  const original = await source.picture().catch(() => undefined)
  if (original === undefined) return { faults: [], remarks: ['the source cannot be decoded by sharp'] }
  const result = await decodePicture(reply.body)
  const exact = options.quality === 'lossless' && isWhole(options) && EXACT.has(source.seen.format)
  if (exact && !source.seen.profile && sameSize(original, result)) {
    const off = largestDifference(original, result)
    if (off > 1) return { faults: ['pixels'], remarks: [`lossless, but up to ${off} levels off`] }
  }
  const size = comparedSize(made)
  // Filters and thin lines look different at another resolution: a drawing may look like either.
  const scale = made.width / source.seen.width
  const originals = vector && scale !== 1 ? [original, await source.drawn(scale)] : [original]
  const shown = await reduced(result, size)
  let score = Number.NEGATIVE_INFINITY
  for (const each of originals) {
    const reference = await referenceOf(options.trim ? await source.trimmed() : each, options, size)
    if (reference === undefined) return { faults: [], remarks: [] }
    using prepared = (await metric).prepare(reference)
    score = Math.max(score, prepared.compare(shown))
  }
  return score >= MIN_SCORE
    ? { faults: [], remarks: [], score }
    : { faults: ['pixels'], remarks: [`looks different: ${score.toFixed(1)} points`], score }
}

const judgeHeaders = ({ reply, file }: Case): readonly string[] => {
  const { headers, body } = reply
  return [
    ...(Number(headers.get('content-length')) === body.length ? [] : ['Content-Length is wrong']),
    ...(headers.get('content-type')?.match(/^(image|video)\//) ? [] : ['Content-Type is no image']),
    ...(Number(headers.get('x-source-bytes')) === file.bytes ? [] : ['X-Source-Bytes is wrong']),
  ]
}

const judgeImage = async (given: Case): Promise<Verdict> => {
  const { source, options, reply, file } = given
  const wrong = judgeHeaders(given)
  const larger = isWhole(options) && NEVER_LARGER.has(source?.seen.format ?? '') && reply.body.length > file.bytes
  const isVideo = reply.headers.get('content-type')?.startsWith('video/') === true
  const pixels = await (isVideo ? judgeVideo : judgePixels)(given).catch(
    (error: Error): Verdict => ({ faults: ['pixels'], remarks: [`cannot be decoded: ${error.message}`] }),
  )
  return {
    ...pixels,
    faults: [
      ...pixels.faults,
      ...(larger ? ['larger' as const] : []),
      ...(wrong.length > 0 ? ['header' as const] : []),
    ],
    remarks: [...pixels.remarks, ...(larger ? [`${reply.body.length} bytes of ${file.bytes}`] : []), ...wrong],
  }
}

/** Judges one answer by the contract; whether its status is the expected one is judged elsewhere. */
export const judgeReply = async (given: Case): Promise<Verdict> => {
  const { reply, hangMs } = given
  if (reply.firstMs > hangMs)
    return { faults: ['hang'], remarks: [reply.trouble ?? `began after ${Math.round(reply.firstMs)} ms`] }
  if (reply.redirect === 'source') return { faults: ['hang'], remarks: ['nothing was made in time'] }
  if (reply.status === 200) return judgeImage(given)
  const text = reply.body.toString('utf8').trim()
  if (reply.status === 0) return { faults: ['fault'], remarks: [reply.trouble ?? 'no answer'] }
  const plain = reply.headers.get('content-type')?.startsWith('text/plain') === true && text.length > 0
  return DOCUMENTED.has(reply.status) && plain
    ? { faults: [], remarks: [text] }
    : { faults: ['fault'], remarks: [`${reply.status} ${text}`] }
}
