import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Raster } from '../../../src/core/image.ts'
import { fromPixels } from '../../../src/raster/raw.ts'
import type { Referee } from './referees.ts'

/** The distance that `dssim` prints first in its line on the second image: `0.00123456	second.png`. Throws where there is none. */
export const distanceIn = (output: string): number => {
  const distance = Number.parseFloat(output)
  if (!(distance >= 0)) throw new Error(`dssim printed ${output}`)
  return distance
}

/**
 * DSSIM (K. Lesiński): SSIM of the CIELAB channels at several scales, as a distance. Its program is run, for it is licensed under the AGPL:
 * `cargo install dssim`.
 */
export const dssimOf = (path: string): Referee => ({
  name: 'dssim',
  figure: async (source: Raster, shown: Raster): Promise<number> => {
    const scratch = await mkdtemp(join(tmpdir(), 'dssim-'))
    try {
      const files = [join(scratch, 'source.png'), join(scratch, 'shown.png')] as const
      await Promise.all(
        [source, shown].map((image, i) => fromPixels(image).png({ compressionLevel: 1 }).toFile(files[i]!)),
      )
      return -distanceIn((await promisify(execFile)(path, files)).stdout)
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  },
})
