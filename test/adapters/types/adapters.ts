/** Compiled by a test, never run: what the adapters give is what the frameworks take, by the frameworks' own types. */

import type { ImageProvider } from '@nuxt/image'
import { transformBaseImageProps } from '@unpic/core/base'
import {
  type whittle as astroBuild,
  type BuildSettings,
  type DeliverySettings,
  whittleDelivery,
} from '@whittle-images/client/astro'
import buildService from '@whittle-images/client/astro/build'
import deliveryService from '@whittle-images/client/astro/delivery'
import { whittleLoader } from '@whittle-images/client/next'
import { signedLoader } from '@whittle-images/client/next/server'
import nuxtProvider from '@whittle-images/client/nuxt'
import signedNuxtProvider from '@whittle-images/client/nuxt/server'
import { whittleTransformer } from '@whittle-images/client/unpic'
import { signedTransformer } from '@whittle-images/client/unpic/server'
import { whittle } from '@whittle-images/client/vite'
import type { AstroUserConfig, ExternalImageService, LocalImageService } from 'astro'
import type { ImageLoader } from 'next/image'
import type { Plugin } from 'vite'

const settings = { base: 'http://127.0.0.1:8080', account: 'demo' }

export const plugin: Plugin = whittle({ ...settings, onError: 'original', defaults: { quality: 'high' } })
export const loaders: readonly ImageLoader[] = [whittleLoader(settings), signedLoader({ ...settings, key: undefined })]
export const local: LocalImageService<BuildSettings> = buildService
export const external: ExternalImageService<DeliverySettings> = deliveryService
export const image = (build: typeof astroBuild): AstroUserConfig[] => [
  { image: { service: build(settings) } },
  { image: { service: whittleDelivery({ ...settings, keyVariable: 'KEY' }) } },
]

export const providers: readonly (() => Pick<ImageProvider<typeof settings>, 'getImage'>)[] = [
  nuxtProvider,
  signedNuxtProvider,
]
export const attributes = [whittleTransformer(settings), signedTransformer({ ...settings, key: 'key' })].map(
  (transformer) =>
    transformBaseImageProps({
      transformer,
      src: '/a.png',
      width: 8,
      height: 6,
      layout: 'fixed',
    }),
)

// @ts-expect-error: there is no such quality
whittle({ ...settings, defaults: { quality: 'best' } })
