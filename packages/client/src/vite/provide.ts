/** The three ways to obtain the address of a variant: optimise it now, optimise it on request, or use the original. */
import { basename } from 'node:path'
import type { Optimiser } from '../build/optimiser.ts'
import type { Candidate } from '../build/picture.ts'
import { digestOf } from '../build/result-cache.ts'
import type { Variant } from '../variant.ts'
import type { DevImages } from './dev-images.ts'
import { assetNameOf, type Imported, plannedResult } from './imported.ts'
import type { LoadContext } from './types.ts'

/** Returns the address and the size of one variant of an imported image. */
export type Provide = (image: Imported, variant: Variant, context: LoadContext) => Promise<Candidate> | Candidate

/** Placeholder for the address of the original. Vite provides the address when the module runs. */
export const ORIGINAL = '__WHITTLE_ORIGINAL__'

/** Uses the original, with the planned size of the variant. */
export const provideOriginal: Provide = (image, variant) => ({
  url: ORIGINAL,
  variant,
  result: plannedResult(image, variant),
})

/** Optimises the variant when a browser requests its address below `base`. */
export const provideOnRequest =
  (devImages: DevImages, base: string): Provide =>
  (image, variant) => ({
    url: `${base}${devImages.add(image, variant)}`,
    variant,
    result: plannedResult(image, variant),
  })

/** Optimises the variant and emits it as an asset of the build. Adds the digest of the asset to `emitted`. */
export const provideAsset =
  (optimiser: Optimiser, emitted: Set<string>): Provide =>
  async (image, variant, context) => {
    const result = await optimiser.optimise({ bytes: image.bytes, name: image.name }, variant)
    emitted.add(digestOf(result.bytes))
    const reference = context.emitFile({
      type: 'asset',
      name: result.kind === 'original' ? basename(image.file) : assetNameOf(image, result.contentType),
      originalFileName: image.name,
      source: result.bytes,
    })
    return { url: `__VITE_ASSET__${reference}__`, variant, result }
  }
