import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import type { AnyRaster } from '../../src/core/image.ts'

/** A fixture's bytes, as a plain Uint8Array. */
export const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../fixtures/jpeg/${name}`, import.meta.url)))

/** RGB samples of an image file. */
export const samplesOf = async (bytes: Uint8Array): Promise<AnyRaster> => {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data: new Uint8Array(data), width: info.width, height: info.height, channels: info.channels }
}

/** Pixels by libjpeg-turbo through sharp: no colour management, damage tolerated. */
export const decoded = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await sharp(bytes, { failOn: 'none', ignoreIcc: true }).raw().toBuffer())

/** The largest difference of two images' samples; infinite where they have not the same number of them. */
export const largestDifference = (a: Uint8Array, b: Uint8Array): number =>
  a.length === b.length ? a.reduce((most, v, i) => Math.max(most, Math.abs(v - b[i]!)), 0) : Number.POSITIVE_INFINITY

/** Numbers below 2^32 that follow from a seed (xorshift), so that a failing case can be run again. */
export const seeded = (seed: number): (() => number) => {
  let state = (seed * 2654435761 + 1) >>> 0 || 1
  return () => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  }
}
