import type { Extent } from '../core/image.ts'
import { BitWriter } from './bits/bit-writer.ts'
import { type SampleColours, writeImageHeader } from './headers.ts'

const headerOf = (extent: Extent, colours: SampleColours): Uint8Array => {
  const writer = new BitWriter()
  writeImageHeader(writer, { ...extent, orientation: 1, colours })
  return writer.finish()
}

/** A codestream of ours with sRGB's header, of this size, with one that says Display P3. Grey is the same in both. */
export const withP3Header = (jxl: Uint8Array, extent: Extent): Uint8Array => {
  const before = headerOf(extent, { kind: 'srgb' })
  const isSrgb = before.every((byte, i) => jxl[i] === byte)
  return isSrgb ? Buffer.concat([headerOf(extent, { kind: 'p3' }), jxl.subarray(before.length)]) : jxl
}
