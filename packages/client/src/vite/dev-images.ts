import type { Optimised, Optimiser } from '../build/optimiser.ts'
import { readImage } from '../build/read-image.ts'
import { digestOf } from '../build/result-cache.ts'
import type { Variant } from '../variant.ts'
import { assetNameOf, type Imported, planned } from './imported.ts'

/** Variants of a development server, each made when a browser asks for it. */
export interface DevImages {
  /** The address of a variant, below Vite's base; another one when the image changes. */
  readonly add: (image: Imported, variant: Variant) => string
  /** Undefined for addresses that are not ours. */
  readonly answer: (url: string, optimiser: Optimiser) => Promise<Optimised | undefined>
}

const PLACE = '@whittle'

export const openDevImages = (): DevImages => {
  const images = new Map<string, { readonly file: string; readonly name: string; readonly variant: Variant }>()
  return {
    add: (image, variant) => {
      const { file, name, bytes } = image
      const key = digestOf(Buffer.from(JSON.stringify([file, variant, digestOf(bytes)]))).slice(0, 16)
      images.set(key, { file, name, variant })
      return `${PLACE}/${key}/${encodeURIComponent(assetNameOf(image, planned(image, variant).contentType))}`
    },
    answer: async (url, optimiser) => {
      const [, key = ''] = new RegExp(`/${PLACE}/([0-9a-f]{16})/`).exec(url) ?? []
      const image = images.get(key)
      if (image === undefined) return undefined
      return optimiser.optimise({ bytes: await readImage(image.file), name: image.name }, image.variant)
    },
  }
}
