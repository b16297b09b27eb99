import { sizeOf } from '../build/image-size.ts'
import type { Optimiser } from '../build/optimiser.ts'
import type { Variant } from '../variant.ts'
import type { BundleAsset, BundleFile } from './types.ts'

const isAsset = (file: BundleFile): file is BundleAsset => file.type === 'asset'

const bytesOf = (source: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  typeof source === 'string' ? new TextEncoder().encode(source) : new Uint8Array(source)

/**
 * Replaces each image among the files of a build by a smaller one in the same format. Leaves files alone for which
 * `isOptimised` returns true. Fails like the optimiser.
 */
export const shrinkAssets = async (
  files: readonly BundleFile[],
  {
    optimiser,
    isOptimised,
    quality,
  }: {
    readonly optimiser: Optimiser
    readonly isOptimised: (bytes: Uint8Array) => boolean
    readonly quality: Variant['quality']
  },
): Promise<void> => {
  const shrink = async (asset: BundleAsset): Promise<void> => {
    const bytes = bytesOf(asset.source)
    const format = sizeOf(bytes)?.format
    if (format === undefined || isOptimised(bytes)) return
    const variant = { ...(format === 'svg' ? {} : { format }), ...(quality === undefined ? {} : { quality }) }
    const result = await optimiser.optimise({ bytes, name: asset.fileName }, variant)
    // A result with a warning may differ from the original, for example by missing frames.
    if (result.bytes.length < bytes.length && result.warnings.length === 0) asset.source = result.bytes
  }
  await Promise.all(files.filter(isAsset).map(shrink))
}
