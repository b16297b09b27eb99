import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Raster } from '../../src/core/image.ts'
import { decodeJxl } from '../../src/raster/decoders/jxl.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { identify } from '../../src/source/identify.ts'

/** Pixels of the largest image that is compared. */
const MAX_PIXELS = 1e8

/** The pixels that a decoder shows of a JPEG XL file: jxl-oxide. */
export const pixelsOfJxl = async (file: Uint8Array): Promise<Raster> => {
  const scratch = await mkdtemp(join(tmpdir(), 'shown-'))
  try {
    const path = join(scratch, 'file.jxl')
    await writeFile(path, file)
    const decoded = await decodeJxl({ path, facts: await identify(path), limits: { maxPixels: MAX_PIXELS } })
    if (!('file' in decoded)) throw new Error('jxl-oxide gave no PNG')
    return await toPixels(decoded.file)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The pixels that a decoder shows of a result. */
export const shownPixels = (file: Uint8Array, format: string): Promise<Raster> =>
  format === 'jxl' ? pixelsOfJxl(file) : toPixels(file)
