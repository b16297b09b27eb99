/** An image service of Astro that gives addresses of live delivery: browsers get their images from the Whittle service. */
import { baseService } from 'astro/assets'
import { isRemoteAllowed } from 'astro/assets/utils'
import { whittle } from '../client.ts'
import { askFor } from '../variant.ts'
import type { DeliverySettings } from './services.ts'
import type { AddressService, ImageConfig, ImageTransform } from './types.ts'
import { variantOf } from './variant-of.ts'

/** Set by Vite, which bundles services. */
interface Environment {
  readonly DEV?: boolean
  readonly SITE?: string
}

const environment = (): Environment => (import.meta as { readonly env?: Environment }).env ?? {}

/** The absolute address of a source. Fails where nothing says what it is relative to. */
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
  if (key === undefined || key === '') throw new Error(`There is no key to sign addresses with in ${keyVariable}.`)
  return key
}

const addressOf = async (options: ImageTransform, { service }: ImageConfig<DeliverySettings>): Promise<string> => {
  const { base, account, site = environment().SITE } = service.config
  const source = typeof options.src === 'string' ? options.src : options.src.src
  const size = typeof options.src === 'string' ? undefined : options.src
  const request = askFor(whittle(base, account).url(absolute(source, site)), variantOf(options, size))
  const key = keyOf(service.config)
  return key === undefined ? request.address() : request.signed(key)
}

const service: AddressService<DeliverySettings> = {
  getHTMLAttributes: baseService.getHTMLAttributes,
  getSrcSet: baseService.getSrcSet,
  /** Without Astro's default format: each browser gets what it takes. */
  validateOptions: async (options, config, log) => {
    const { format } = options
    const validated = await baseService.validateOptions(options, config, log)
    if (format === undefined) delete validated.format
    variantOf(validated, undefined)
    return validated
  },
  /** Images that the configuration does not allow stay where they are, and so do the site's own while it is developed, where the service cannot fetch them. */
  getURL: async (options, config) => {
    if (typeof options.src === 'string' && !isRemoteAllowed(options.src, config)) return options.src
    if (typeof options.src !== 'string' && environment().DEV === true) return options.src.src
    return addressOf(options, config)
  },
}

export default service
