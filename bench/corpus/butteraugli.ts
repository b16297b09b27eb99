import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import type { Raster } from '../../src/core/image.ts'
import { fromPixels } from '../../src/raster/raw.ts'

type Encode = (pixels: Raster, quality: number) => Promise<Uint8Array>

/** A second opinion on encoded files: Butteraugli's 3-norm, the lower the better. */
export interface Butteraugli extends Disposable {
  readonly norm: (original: Raster, file: Uint8Array) => Promise<number>
  /** Ours in terms of a peer's of as many bytes, or as few more as its quality steps allow. */
  readonly ratioAtEqualBytes: (original: Raster, ours: Uint8Array, peer: Encode) => Promise<number>
}

const NORM = /3-norm: ([\d.]+)/

/** Asks Debian's `butteraugli_main` (package libjxl-devtools) at `path`, which reads and writes PNG files in a scratch directory. */
export const openButteraugli = (path: string): Butteraugli => {
  const scratch = mkdtempSync(join(tmpdir(), 'butteraugli-'))
  const [original, shown] = [join(scratch, 'original.png'), join(scratch, 'shown.png')]
  const norm: Butteraugli['norm'] = async (pixels, file) => {
    await fromPixels(pixels).png({ compressionLevel: 1 }).toFile(original)
    await sharp(file).toColourspace('srgb').png({ compressionLevel: 1 }).toFile(shown)
    const { stdout } = await promisify(execFile)(path, [original, shown])
    const found = NORM.exec(stdout)?.[1]
    if (found === undefined) throw new Error(`${path} told no 3-norm: ${stdout}`)
    return Number(found)
  }
  const ratioAtEqualBytes: Butteraugli['ratioAtEqualBytes'] = async (pixels, ours, peer) => {
    let [low, high] = [1, 99]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((await peer(pixels, middle)).length < ours.length) low = middle
      else high = middle
    }
    return (await norm(pixels, ours)) / (await norm(pixels, await peer(pixels, high)))
  }
  return { norm, ratioAtEqualBytes, [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }) }
}
