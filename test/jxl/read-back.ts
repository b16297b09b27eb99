import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import type { AnyRaster } from '../../src/core/image.ts'
import { decodeJxl } from '../../src/raster/decoders/jxl.ts'
import { identify } from '../../src/source/identify.ts'

/** Decoders of JPEG XL that read back what is written: jxl-oxide always, libjxl's `djxl` where it is installed. */
export const DECODERS = ['jxl-oxide', 'djxl'] as const

/** Whether Debian's libjxl-tools is installed. */
export const hasDjxl = spawnSync('djxl', ['--version']).status === 0

const LIMITS = { maxSide: 20_000, maxPixels: 50e6 }

/** jxl-oxide's decoding of a file: a PNG with its profile. */
export const pngByOxide = async (path: string): Promise<Buffer> => {
  const decoded = await decodeJxl({ path, limits: LIMITS, facts: await identify(path) })
  if (!('file' in decoded)) throw new Error('jxl-oxide gives a PNG')
  return Buffer.from(decoded.file)
}

const pngOf = async (decoder: (typeof DECODERS)[number], directory: string, jxl: Uint8Array): Promise<Buffer> => {
  const [source, png] = [join(directory, 'image.jxl'), join(directory, 'image.png')]
  writeFileSync(source, jxl)
  if (decoder === 'jxl-oxide') return pngByOxide(source)
  execFileSync('djxl', [source, png], { stdio: 'pipe' })
  return readFileSync(png)
}

/** A decoder's samples of a codestream: RGB or grey, without colour conversion. */
export const readBack = async (decoder: (typeof DECODERS)[number], jxl: Uint8Array): Promise<AnyRaster> => {
  const directory = mkdtempSync(join(tmpdir(), 'jxl-'))
  try {
    const image = sharp(await pngOf(decoder, directory, jxl), { ignoreIcc: true })
    const isGrey = (await image.metadata()).channels < 3
    const { data, info } = await image
      .removeAlpha()
      .toColourspace(isGrey ? 'b-w' : 'srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
    return { width: info.width, height: info.height, channels: info.channels, data: new Uint8Array(data) }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
