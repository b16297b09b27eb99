import { sizeOf } from '../build/image-size.ts'
import type { Optimiser } from '../build/optimiser.ts'
import type { Variant } from '../variant.ts'
import type { BundleAsset, BundleFile } from './types.ts'

const isAsset = (file: BundleFile): file is BundleAsset => file.type === 'asset'

const bytesOf = (source: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  typeof source === 'string' ? new TextEncoder().encode(source) : new Uint8Array(source)

/** Makes the images among the files of a build smaller, in their own formats; those that `isDone` knows stay. */
export const shrinkAssets = async (
  files: readonly BundleFile[],
  {
    optimiser,
    isDone,
    quality,
  }: {
    readonly optimiser: Optimiser
    readonly isDone: (bytes: Uint8Array) => boolean
    readonly quality: Variant['quality']
  },
): Promise<void> => {
  const shrink = async (asset: BundleAsset): Promise<void> => {
    const bytes = bytesOf(asset.source)
    const format = sizeOf(bytes)?.format
    if (format === undefined || isDone(bytes)) return
    const variant = { ...(format === 'svg' ? {} : { format }), ...(quality === undefined ? {} : { quality }) }
    const result = await optimiser.optimise({ bytes, name: asset.fileName }, variant)
    // A result with a warning, such as frames that were left out, is not the same image.
    if (result.bytes.length < bytes.length && result.warnings.length === 0) asset.source = result.bytes
  }
  await Promise.all(files.filter(isAsset).map(shrink))
}
