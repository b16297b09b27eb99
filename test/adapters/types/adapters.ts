/** Compiled by a test, never run: what the adapters give is what the frameworks take, by the frameworks' own types. */
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

// @ts-expect-error: there is no such quality
whittle({ ...settings, defaults: { quality: 'best' } })
