import { fail } from '../../core/failure.ts'
import type { CodePoints, SourceFacts } from '../../core/image.ts'
import type { Limits } from '../../plan/plan.ts'
import type { StoredImage } from '../colour/stored.ts'

/** A source that sharp cannot read. */
export interface ForeignSource {
  /** A spool file. */
  readonly path: string
  readonly facts: SourceFacts
  readonly limits: Pick<Limits, 'maxPixels'>
}

/** The same image in a file that sharp reads. */
export interface StandIn {
  readonly file: Buffer
  /** As in SourceFacts. */
  readonly codePoints?: CodePoints
  /** The file's own profile, as in SourceFacts. Default: it must be applied if there is one. */
  readonly profile?: SourceFacts['profile']
  /** The source ends early. */
  readonly truncated?: boolean
  /** A Warning about the source. */
  readonly warning?: string
}

/** Decodes a source to its stored samples, or to a file that replaces it. Every error except a Failure means that the source is damaged. */
export type ForeignDecoder = (source: ForeignSource) => Promise<StoredImage | StandIn>

/** Loads an optional package for a source. Fails with PACKAGE_MISSING when it is not installed or broken. */
export const loadPackage = async <Loaded>(
  { what, name }: { readonly what: string; readonly name: string },
  load: () => Promise<Loaded>,
): Promise<Loaded> => {
  try {
    return await load()
  } catch (error) {
    throw Object.assign(fail('PACKAGE_MISSING', what, name), { cause: error })
  }
}

/** Fails with SOURCE_DAMAGED when a decoder reports more pixels than the limit. The header that was read before was wrong. */
export const requirePixels = (width: number, height: number, { limits }: ForeignSource): void => {
  if (!(width >= 1 && height >= 1 && width * height <= limits.maxPixels)) throw fail('SOURCE_DAMAGED')
}
