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
  /** Another machine's or process's work, whose CPU is not measured. */
  readonly isRemote?: true
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

/** An encoder that is a program: its command, and its arguments from a PNG to a file of its format. */
export interface Program extends Omit<EyePeer, 'encode'> {
  readonly command: string
  readonly extension: string
  readonly args: (source: string, made: string, quality: number) => readonly string[]
}

/** A program as a peer; `command` may be a path. */
export const programPeer = ({ command, extension, args, ...peer }: Program): EyePeer => ({
  ...peer,
  encode: async (pixels, quality) => {
    const scratch = await mkdtemp(join(tmpdir(), 'program-'))
    try {
      const [source, made] = [join(scratch, 'source.png'), join(scratch, `made.${extension}`)]
      await fromPixels(pixels).png({ compressionLevel: 1 }).toFile(source)
      await promisify(execFile)(command, args(source, made, quality))
      return await readFile(made)
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  },
})

/** libjxl's encoder of JPEGs. */
export const cjpegli = (subsampling: '420' | '444', command = 'cjpegli'): Program => ({
  name: `cjpegli${subsampling}`,
  alpha: false,
  command,
  extension: 'jpg',
  args: (source, made, quality) => [source, made, '-q', `${quality}`, `--chroma_subsampling=${subsampling}`],
})

/** The peers of these names; throws for a name that is not known, or for cjpegli without its path. */
export const peersNamed = (names: readonly string[], path?: string): EyePeer[] => {
  const known =
    path === undefined ? PEERS : [...PEERS, programPeer(cjpegli('420', path)), programPeer(cjpegli('444', path))]
  return names.map((name) => {
    const peer = known.find((one) => one.name === name)
    if (!peer) throw new Error(`no peer ${name}; known: ${known.map((one) => one.name).join(', ')}`)
    return peer
  })
}
