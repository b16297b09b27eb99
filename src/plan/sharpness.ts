import type { Density } from '../core/units.ts'
import type { ResampleKernel } from './plan.ts'

/**
 * The filter for reducing an image, by density (§2). Measured on eight photographs reduced for 2x and 3x, as JPEG at the three presets,
 * scored after scaling down by the density. Bytes at equal score against Lanczos3:
 *
 *   sharpening, sigma 0.5   +13 to 53 %
 *   blurring, sigma 0.6      +1 to 49 %
 *   Mitchell                 +5 % at 2x medium
 *   cubic                     0 % at 2x, -2.5 % at 3x medium
 */
const REDUCING: Readonly<Record<Density, ResampleKernel>> = { 1: 'lanczos3', 2: 'lanczos3', 3: 'cubic' }

/** The filter for a scale in output px per source px. Enlarging always uses Lanczos3. */
export const kernelFor = (scale: number, density: Density): ResampleKernel =>
  scale < 1 ? REDUCING[density] : 'lanczos3'
