import { open } from 'node:fs/promises'

/** The gAMA value of sRGB, in 100000ths, and how far from it a file may be and still mean sRGB. */
const SRGB_GAMMA = 45455
const TOLERANCE = 0.05
/** Chunks before the pixels are small; nobody may make us read more than this of them. */
const HEAD_BYTES = 65536

/**
 * A table that brings samples of a PNG with a gAMA chunk to sRGB, as browsers do; undefined where there is none, where it
 * says sRGB, or where a better description of the colours (sRGB, iCCP, cICP) overrides it.
 */
export const gammaTable = async (path: string): Promise<Uint8Array | undefined> => {
  const gamma = readGamma(await head(path))
  if (gamma === undefined || Math.abs(gamma / SRGB_GAMMA - 1) < TOLERANCE) return undefined
  return Uint8Array.from({ length: 256 }, (_, sample) => Math.round(255 * encodeSrgb((sample / 255) ** (1e5 / gamma))))
}

const encodeSrgb = (linear: number): number =>
  linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055

const head = async (path: string): Promise<Buffer> => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const OVERRIDING: ReadonlySet<string> = new Set(['sRGB', 'iCCP', 'cICP'])

/** The gAMA value before the first IDAT, when plausible and not overridden. */
const readGamma = (bytes: Buffer): number | undefined => {
  let gamma: number | undefined
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (name === 'IDAT' || OVERRIDING.has(name)) return name === 'IDAT' ? gamma : undefined
    if (name === 'gAMA' && length === 4) gamma = bytes.readUInt32BE(at + 8)
    at += 12 + length
  }
  return gamma !== undefined && gamma >= 1000 && gamma <= 1e6 ? gamma : undefined
}
