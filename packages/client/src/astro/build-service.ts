/**
 * An image service of Astro. It sends images to a Whittle service during the build. A development server, and a server that
 * renders pages, send an image when a browser requests it.
 */
import { join } from 'node:path'
import { baseService } from 'astro/assets'
import { sizeOf } from '../build/image-size.ts'
import { type BuildSettings, type Optimiser, openCache, openOptimiser } from '../build/optimiser.ts'
import type { ImageLog, ImageTransform, LocalService } from './types.ts'
import { variantOf } from './variant-of.ts'

const optimisers = new Map<string, Optimiser>()

/** Returns the optimiser that all images with the same settings share. */
const optimiserFor = (settings: BuildSettings, log: ImageLog): Optimiser => {
  const key = JSON.stringify(settings)
  const cache = openCache(settings, join(process.cwd(), 'node_modules/.cache/whittle'))
  const optimiser = optimisers.get(key) ?? openOptimiser({ ...settings, cache, warn: (text) => log.warn(text) })
  optimisers.set(key, optimiser)
  return optimiser
}

/** Whether Astro would copy an SVG unchanged. This service makes it smaller. */
const isSvg = ({ format }: ImageTransform): boolean => format === 'svg'

const service: LocalService<BuildSettings> = {
  ...baseService,
  validateOptions: async (options, config, log) => {
    const validated = await baseService.validateOptions(options, config, log)
    variantOf(validated, undefined)
    return validated
  },
  // Astro before version 6 passes no log.
  transform: async (input, transform, config, log = console) => {
    const bytes = new Uint8Array(input)
    const size = sizeOf(bytes)
    const variant = isSvg(transform) ? {} : variantOf(transform, size)
    const optimiser = optimiserFor(config.service.config, log)
    const result = await optimiser.optimise({ bytes, name: transform.src }, variant).catch((error: Error) => {
      // Astro replaces the error by its own and hides the message.
      log.error(error.message)
      throw error
    })
    return { data: result.bytes, format: result.size?.format ?? transform.format ?? 'webp' }
  },
}

export default service
