import { fail } from '../../core/failure.ts'
import type { CodePoints, SourceFacts } from '../../core/image.ts'
import type { Limits } from '../../plan/plan.ts'
import type { StoredImage } from '../colour/stored.ts'

/** A source that sharp does not read. */
export interface ForeignSource {
  /** A spool file. */
  readonly path: string
  readonly facts: SourceFacts
  readonly limits: Pick<Limits, 'maxPixels'>
}

/** A file that sharp reads, with the same image. */
export interface StandIn {
  readonly file: Buffer
  /** As in the facts of a source. */
  readonly codePoints?: CodePoints
  /** Less was there than the source claims. */
  readonly truncated?: boolean
  /** What else is to be said of it. */
  readonly warning?: string
}

/** Decodes a source to the samples that it stores, or to a file that stands in for it. Whatever it throws but a Failure means that the source is damaged. */
export type ForeignDecoder = (source: ForeignSource) => Promise<StoredImage | StandIn>

/** Loads an optional package that a source needs. Fails with PACKAGE_MISSING when it is not installed, or broken. */
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

/** Fails with SOURCE_DAMAGED when what a decoder found is larger than any image may be: the header that was read before lied. */
export const requirePixels = (width: number, height: number, { limits }: ForeignSource): void => {
  if (!(width >= 1 && height >= 1 && width * height <= limits.maxPixels)) throw fail('SOURCE_DAMAGED')
}
