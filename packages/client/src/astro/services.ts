/** Image services of Astro, for `image: { service: whittle({ base, account }) }`. */
import type { BuildSettings } from '../build/optimiser.ts'
import type { ServiceEntry } from './types.ts'

export type { BuildSettings } from '../build/optimiser.ts'

/** Settings of the service that uses live delivery. */
export interface DeliverySettings {
  /** Address of the service that browsers use. */
  readonly base: string
  /** An account with the right to live delivery (docs/delivery.md). */
  readonly account: string
  /** Address from which the service fetches the site's own images; `site` of Astro's configuration by default. */
  readonly site?: string
  /** Name of the environment variable with a signing key of the account. Without it addresses are not signed. */
  readonly keyVariable?: string
}

/** Returns the entry of the service that optimises images during the build. */
export const whittle = (settings: BuildSettings): ServiceEntry<BuildSettings> => ({
  entrypoint: '@whittle-images/client/astro/build',
  config: settings,
})

/** Returns the entry of the service that uses live delivery. */
export const whittleDelivery = (settings: DeliverySettings): ServiceEntry<DeliverySettings> => ({
  entrypoint: '@whittle-images/client/astro/delivery',
  config: settings,
})
