/** An image service of Astro that returns addresses of live delivery. Browsers load their images from the Whittle service. */
import { baseService } from 'astro/assets'
import { isRemoteAllowed } from 'astro/assets/utils'
import { whittle } from '../client.ts'
import { applyVariant } from '../variant.ts'
import type { DeliverySettings } from './services.ts'
import type { AddressService, ImageConfig, ImageTransform } from './types.ts'
import { variantOf } from './variant-of.ts'

/** Variables that Vite defines when it bundles the service. */
interface Environment {
  readonly DEV?: boolean
  readonly SITE?: string
}

const environment = (): Environment => (import.meta as { readonly env?: Environment }).env ?? {}

/** Returns the absolute address of a source. Fails with an Error if it has no host and `site` is undefined. */
const absolute = (src: string, site: string | undefined): string => {
  if (/^https?:\/\//i.test(src)) return src
  if (site === undefined)
    throw new Error(
      `${src} has no host: set site in the configuration to the address of this site, where the service can fetch it.`,
    )
  return new URL(src, site).href
}

const keyOf = ({ keyVariable }: DeliverySettings): string | undefined => {
  if (keyVariable === undefined) return undefined
  const key = process.env[keyVariable]
  if (key === undefined || key === '')
    throw new Error(`There is no key to sign addresses with: set the environment variable ${keyVariable}.`)
  return key
}

const addressOf = async (options: ImageTransform, { service }: ImageConfig<DeliverySettings>): Promise<string> => {
  const { base, account, site = environment().SITE } = service.config
  const source = typeof options.src === 'string' ? options.src : options.src.src
  const size = typeof options.src === 'string' ? undefined : options.src
  const request = applyVariant(whittle(base, account).url(absolute(source, site)), variantOf(options, size))
  const key = keyOf(service.config)
  return key === undefined ? request.address() : request.signed(key)
}

const service: AddressService<DeliverySettings> = {
  getHTMLAttributes: baseService.getHTMLAttributes,
  getSrcSet: baseService.getSrcSet,
  /** Removes Astro's default format, so that each browser gets the best format that it accepts. */
  validateOptions: async (options, config, log) => {
    const { format } = options
    const validated = await baseService.validateOptions(options, config, log)
    if (format === undefined) delete validated.format
    variantOf(validated, undefined)
    return validated
  },
  /** Keeps the address of images that the configuration does not allow. Also keeps that of the site's own images on a development server, which the service cannot reach. */
  getURL: async (options, config) => {
    if (typeof options.src === 'string' && !isRemoteAllowed(options.src, config)) return options.src
    if (typeof options.src !== 'string' && environment().DEV === true) return options.src.src
    return addressOf(options, config)
  },
}

export default service
