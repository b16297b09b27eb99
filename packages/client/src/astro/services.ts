/** Image services of Astro, for `image: { service: whittle({ base, account }) }`. */
import type { BuildSettings } from '../build/optimiser.ts'
import type { ServiceEntry } from './types.ts'

export type { BuildSettings } from '../build/optimiser.ts'

export interface DeliverySettings {
  /** Address of the service, as browsers reach it. */
  readonly base: string
  /** An account that delivers (docs/delivery.md). */
  readonly account: string
  /** Where the service fetches the site's own images; the `site` of Astro's configuration unless given. */
  readonly site?: string
  /** Name of the environment variable with a key of the account, where addresses are to be signed. */
  readonly keyVariable?: string
}

/** Optimises images when the site is built. */
export const whittle = (settings: BuildSettings): ServiceEntry<BuildSettings> => ({
  entrypoint: '@whittle-images/client/astro/build',
  config: settings,
})

/** Leaves images to live delivery. */
export const whittleDelivery = (settings: DeliverySettings): ServiceEntry<DeliverySettings> => ({
  entrypoint: '@whittle-images/client/astro/delivery',
  config: settings,
})
