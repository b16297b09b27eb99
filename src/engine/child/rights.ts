import { readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { holdsContentCredentials } from '../../containers/content-credentials.ts'
import { JPEG_MARKER, readJpegHead, XMP_PREFIX } from '../../containers/jpeg.ts'
import { withRights } from '../../containers/rights/embed.ts'
import { readExifRights } from '../../containers/rights/exif.ts'
import { limitRights, type Rights, type RightsField } from '../../containers/rights/fields.ts'
import { readIptcRights } from '../../containers/rights/iptc.ts'
import { readXmpRights } from '../../containers/rights/xmp.ts'
import type { OutputFormat, StillFormat } from '../../core/image.ts'
import type { Job, ResultFile } from '../../core/outcome.ts'
import type { Plan } from '../../plan/plan.ts'
import { releaseBuffer } from '../../support/release-buffer.ts'

const NONE: Rights = new Map()

/** Reads the rights from the segments of a JPEG, since libvips finds only Exif in a JPEG with a gain map. */
const rightsInJpeg = (jpeg: Buffer): Rights => {
  const found: Rights[] = []
  for (const { marker, start, end } of readJpegHead(jpeg)) {
    const content = jpeg.subarray(start + 4, end)
    const isXmp = content.toString('latin1', 0, XMP_PREFIX.length) === XMP_PREFIX
    if (marker === JPEG_MARKER.APP13) found.push(readIptcRights(content))
    else if (marker === JPEG_MARKER.APP1)
      found.push(isXmp ? readXmpRights(content.subarray(XMP_PREFIX.length)) : readExifRights(content))
  }
  return new Map(found.flatMap((rights) => [...rights]))
}

/** Reads the rights of a source from all its metadata blocks. */
const readRights = async ({ path, facts }: Job<Plan>): Promise<Rights> => {
  if (facts.format === 'jpeg') return rightsInJpeg(await readFile(path))
  const { exif, iptc, xmp } = await sharp(path, { limitInputPixels: false })
    .metadata()
    .catch(() => ({ exif: undefined, iptc: undefined, xmp: undefined }))
  return new Map([
    ...(exif === undefined ? NONE : readExifRights(exif)),
    ...(iptc === undefined ? NONE : readIptcRights(iptc)),
    ...(xmp === undefined ? NONE : readXmpRights(xmp)),
  ])
}

const tooLongWarning = (fields: readonly RightsField[]): readonly string[] =>
  fields.length === 0 ? [] : [`meta=copyright left out what is too long: ${fields.join(', ')}.`]

/** Returns the warning about a C2PA manifest, which no result keeps. */
export const credentialWarnings = async ({ path, facts }: Job<Plan>): Promise<readonly string[]> => {
  const file = await readFile(path)
  const isSigned = holdsContentCredentials(facts.format, file)
  releaseBuffer(file)
  return isSigned
    ? ['The content credentials (C2PA) of the source are dropped: they are signed for its own bytes alone.']
    : []
}

/** Adds rights to a job's results. */
export interface OpenRights {
  /** Returns the bytes of a result with the source's rights. */
  readonly embed: (entry: Pick<ResultFile, 'format' | 'untouched'> & { readonly data: Uint8Array }) => Uint8Array
  readonly warnings: readonly string[]
}

/** Reads the source's rights, and adds them to results if the plan keeps them. */
export const openRights = async (job: Job<Plan>): Promise<OpenRights> => {
  const { facts, plan } = job
  if (plan.keepRights !== true) return { embed: ({ data }) => data, warnings: [] }
  const { kept, tooLong } = limitRights(await readRights(job))
  return {
    embed: ({ format, data, untouched }) => {
      const orientation = untouched === true && format !== 'avif' ? facts.orientation : 1
      return withRights(format as StillFormat, data, { rights: kept, orientation })
    },
    warnings: tooLongWarning(tooLong),
  }
}

/** Animated formats that can contain rights. */
const MOVING: ReadonlySet<OutputFormat> = new Set<OutputFormat>(['gif', 'webp', 'png'])

/** Adds the source's rights to an animation, or a warning if its format cannot contain them. Synchronous, so that it is complete before the offer. */
export const withMovingRights = (
  { plan }: Job<Plan>,
  { embed, warnings }: OpenRights,
  result: ResultFile,
): ResultFile => {
  if (plan.keepRights !== true) return result
  if (!MOVING.has(result.format))
    return { ...result, warnings: [...result.warnings, `meta=copyright is not possible in ${result.format}.`] }
  const data = embed({ ...result, data: readFileSync(result.path) })
  const path = `${result.path}-rights`
  writeFileSync(path, data)
  return { ...result, path, bytes: data.length, warnings: [...result.warnings, ...warnings] }
}
