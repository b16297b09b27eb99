import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Raster } from '../../src/core/image.ts'
import { oxipng } from '../../src/formats/oxipng.ts'
import { fromPixels } from '../../src/raster/raw.ts'
import { decodeJxl, encodeJxl } from './jxl.ts'

/** Another way to make a file of the same pixels. */
export interface EyePeer {
  readonly name: string
  /** Whether it shows transparency; others are given opaque images alone. */
  readonly alpha: boolean
  readonly encode: (pixels: Raster, quality: number) => Promise<Uint8Array>
  /** The pixels that its file shows, where sharp does not read it. */
  readonly decode?: (file: Uint8Array) => Promise<Raster>
  /** Its setting where it has but one that matters; else it is brought to equal quality. */
  readonly fixed?: number
}

const palette = (fixed: number): EyePeer => ({
  name: `palette${fixed}`,
  alpha: true,
  fixed,
  encode: async (pixels, quality) =>
    oxipng(await fromPixels(pixels).png({ palette: true, quality, effort: 8 }).toBuffer(), 4, true),
})

const PEERS: readonly EyePeer[] = [
  { name: 'sharp', alpha: false, encode: (pixels, quality) => fromPixels(pixels).jpeg({ quality }).toBuffer() },
  {
    name: 'mozjpeg',
    alpha: false,
    encode: (pixels, quality) => fromPixels(pixels).jpeg({ quality, mozjpeg: true }).toBuffer(),
  },
  palette(80),
  palette(90),
  {
    name: 'oxipng4',
    alpha: true,
    fixed: 100,
    encode: async (pixels) => oxipng(await fromPixels(pixels).png().toBuffer(), 4, true),
  },
  { name: 'webp', alpha: true, encode: (pixels, quality) => fromPixels(pixels).webp({ quality }).toBuffer() },
  {
    name: 'webp6',
    alpha: true,
    encode: (pixels, quality) => fromPixels(pixels).webp({ quality, effort: 6, smartSubsample: true }).toBuffer(),
  },
  { name: 'avif', alpha: true, encode: (pixels, quality) => fromPixels(pixels).avif({ quality }).toBuffer() },
  { name: 'jxl', alpha: true, encode: encodeJxl, decode: decodeJxl },
]

const cjpegli = (path: string, subsampling: '420' | '444'): EyePeer => ({
  name: `cjpegli${subsampling}`,
  alpha: false,
  encode: async (pixels, quality) => {
    const scratch = await mkdtemp(join(tmpdir(), 'cjpegli-'))
    try {
      const [source, made] = [join(scratch, 'source.png'), join(scratch, 'made.jpg')]
      await fromPixels(pixels).png({ compressionLevel: 1 }).toFile(source)
      await promisify(execFile)(path, [source, made, '-q', `${quality}`, `--chroma_subsampling=${subsampling}`])
      return await readFile(made)
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  },
})

/** The peers of these names; throws for a name that is not known, or for cjpegli without its path. */
export const peersNamed = (names: readonly string[], path?: string): EyePeer[] => {
  const known = path === undefined ? PEERS : [...PEERS, cjpegli(path, '420'), cjpegli(path, '444')]
  return names.map((name) => {
    const peer = known.find((one) => one.name === name)
    if (!peer) throw new Error(`no peer ${name}; known: ${known.map((one) => one.name).join(', ')}`)
    return peer
  })
}
