import type { BuildResult, Optimiser } from '../build/optimiser.ts'
import { readImage } from '../build/read-image.ts'
import { digestOf } from '../build/result-cache.ts'
import type { Variant } from '../variant.ts'
import { assetNameOf, type Imported, plannedResult } from './imported.ts'

/** Variants of a development server. It optimises each one when a browser requests it. */
export interface DevImages {
  /** Registers a variant and returns its address below Vite's `base`. The address changes with the content of the image. */
  readonly add: (image: Imported, variant: Variant) => string
  /** Returns the optimised image at an address, or undefined for an unregistered address. Fails like {@link readImage} and the optimiser. */
  readonly answer: (url: string, optimiser: Optimiser) => Promise<BuildResult | undefined>
}

const PREFIX = '@whittle'

/** Opens an empty register of variants. */
export const openDevImages = (): DevImages => {
  const images = new Map<string, { readonly file: string; readonly name: string; readonly variant: Variant }>()
  return {
    add: (image, variant) => {
      const { file, name, bytes } = image
      const key = digestOf(Buffer.from(JSON.stringify([file, variant, digestOf(bytes)]))).slice(0, 16)
      images.set(key, { file, name, variant })
      return `${PREFIX}/${key}/${encodeURIComponent(assetNameOf(image, plannedResult(image, variant).contentType))}`
    },
    answer: async (url, optimiser) => {
      const [, key = ''] = /\/@whittle\/([0-9a-f]{16})\//.exec(url) ?? []
      const image = images.get(key)
      if (image === undefined) return undefined
      return optimiser.optimise({ bytes: await readImage(image.file), name: image.name }, image.variant)
    },
  }
}
