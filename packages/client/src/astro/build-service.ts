/** An image service of Astro. It sends images to a Whittle service when the site is built. During development, and on a server that renders pages, it sends them when they are requested. */
import { join } from 'node:path'
import { baseService } from 'astro/assets'
import { sizeOf } from '../build/image-size.ts'
import { type BuildSettings, cacheOf, type Optimiser, openOptimiser } from '../build/optimiser.ts'
import type { ImageLog, ImageTransform, MakingService } from './types.ts'
import { variantOf } from './variant-of.ts'

const optimisers = new Map<string, Optimiser>()

/** One for all images with the same settings. */
const optimiserFor = (settings: BuildSettings, log: ImageLog): Optimiser => {
  const key = JSON.stringify(settings)
  const cache = cacheOf(settings, join(process.cwd(), 'node_modules/.cache/whittle'))
  const optimiser = optimisers.get(key) ?? openOptimiser({ ...settings, cache, warn: (text) => log.warn(text) })
  optimisers.set(key, optimiser)
  return optimiser
}

/** Astro's format for "leave the drawing as it is". This service makes it smaller all the same. */
const isDrawing = ({ format }: ImageTransform): boolean => format === 'svg'

const service: MakingService<BuildSettings> = {
  ...baseService,
  validateOptions: async (options, config, log) => {
    const validated = await baseService.validateOptions(options, config, log)
    variantOf(validated, undefined)
    return validated
  },
  // Astro before 6 gives no log.
  transform: async (input, transform, config, log = console) => {
    const bytes = new Uint8Array(input)
    const size = sizeOf(bytes)
    const variant = isDrawing(transform) ? {} : variantOf(transform, size)
    const optimiser = optimiserFor(config.service.config, log)
    const result = await optimiser.optimise({ bytes, name: transform.src }, variant).catch((error: Error) => {
      // Astro hides it behind an error of its own.
      log.error(error.message)
      throw error
    })
    return { data: result.bytes, format: result.size?.format ?? transform.format ?? 'webp' }
  },
}

export default service
