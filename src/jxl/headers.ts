// Headers of a JPEG XL codestream with one frame (ISO/IEC 18181-1, annexes D, E and F).

import type { Extent, Orientation } from '../core/image.ts'
import type { BitWriter } from './bits/bit-writer.ts'
import { bitsFrom, writeBool, writeEnum, writeU32, writeU64 } from './bits/fields.ts'
import { JXL } from './format-numbers.ts'
import type { FrameGeometry } from './geometry.ts'
import { writeIcc } from './icc.ts'

/** Colour space of an image. */
export type SampleColours =
  | { readonly kind: 'srgb' | 'p3' | 'grey' }
  | { readonly kind: 'icc'; readonly icc: Uint8Array; readonly grey: boolean }

/** Header fields of the image. */
export interface Description extends Extent {
  readonly orientation: Orientation
  readonly colours: SampleColours
}

const SIGNATURE = [0xff, 0x0a] as const

const writeSize = (writer: BitWriter, { width, height }: Extent): void => {
  const isSmall = [width, height].every((side) => side % 8 === 0 && side <= JXL.maxSmallSide)
  const writeSide = (side: number): void => {
    if (isSmall) writer.write(side / 8 - 1, 5)
    else writeU32(writer, side, [bitsFrom(9, 1), bitsFrom(13, 1), bitsFrom(18, 1), bitsFrom(30, 1)])
  }
  writeBool(writer, isSmall)
  writeSide(height)
  writer.write(0, 3) // no usual ratio
  writeSide(width)
}

/** Numbers of ITU-T H.273, and the format's own for the rest. */
const COLOUR_SPACE = { rgb: 0, grey: 1 } as const
/** Numbers of ITU-T H.273, and the format's own for the colour space and the intent. */
const COLOURS = { whiteD65: 1, primariesP3: 11, transferSrgb: 13, relativeIntent: 1 } as const

const writeColours = (writer: BitWriter, colours: SampleColours): void => {
  writeBool(writer, colours.kind === 'srgb') // all default
  if (colours.kind === 'srgb') return
  const isGrey = colours.kind === 'grey' || (colours.kind === 'icc' && colours.grey)
  writeBool(writer, colours.kind === 'icc')
  writeEnum(writer, isGrey ? COLOUR_SPACE.grey : COLOUR_SPACE.rgb)
  if (colours.kind === 'icc') return
  writeEnum(writer, COLOURS.whiteD65)
  if (!isGrey) writeEnum(writer, COLOURS.primariesP3)
  writeBool(writer, false) // no gamma
  writeEnum(writer, COLOURS.transferSrgb)
  writeEnum(writer, COLOURS.relativeIntent)
}

const writeMetadata = (writer: BitWriter, { orientation, colours }: Description): void => {
  const isTurned = orientation > 1
  writeBool(writer, false) // not all default
  writeBool(writer, isTurned)
  if (isTurned) {
    writer.write(orientation - 1, 3)
    writer.write(0, 3) // no intrinsic size, preview or animation
  }
  writeBool(writer, false) // whole numbers
  writer.write(0, 2) // of 8 bits
  writeBool(writer, false) // quantisation steps may exceed 16 bits
  writer.write(0, 2) // no extra channels
  writeBool(writer, false) // not XYB
  writeColours(writer, colours)
  if (isTurned) writeBool(writer, true) // default tone mapping
  writeU64(writer, 0) // no extensions
  writeBool(writer, true) // default upsampling weights
}

/** Writes what precedes the frame. */
export const writeImageHeader = (writer: BitWriter, description: Description): void => {
  for (const byte of SIGNATURE) writer.write(byte, 8)
  writeSize(writer, description)
  writeMetadata(writer, description)
  if (description.colours.kind === 'icc') writeIcc(writer, description.colours.icc)
  writer.padToByte()
}

/** Sampling factors 1 x 1, 2 x 2, 2 x 1 and 1 x 2 by their numbers in the format, as 2 v + h. */
const SAMPLING_MODES: Readonly<Record<number, number>> = { 3: 0, 6: 1, 4: 2, 5: 3 }

/** Writes the header of the frame, which fills the image: VarDCT in YCbCr, without filters. */
export const writeFrameHeader = (writer: BitWriter, { channels }: FrameGeometry): void => {
  writeBool(writer, false) // not all default
  writer.write(0, 2) // a regular frame
  writeBool(writer, false) // VarDCT
  writeU64(writer, JXL.skipLfSmoothing)
  writeBool(writer, true) // YCbCr
  const isGrey = channels[0].component === undefined
  for (const { component } of channels) writer.write(isGrey ? 0 : SAMPLING_MODES[2 * component!.v + component!.h]!, 2)
  writer.write(0, 2) // no upsampling
  writer.write(0, 2) // one pass
  writeBool(writer, false) // the image's size
  writer.write(0, 2) // replaces what was there
  writeBool(writer, true) // the last frame
  writer.write(0, 2) // no name
  writeBool(writer, false) // filters are not the default:
  writer.write(0, 3) // neither Gabor-like nor edge-preserving
  writeU64(writer, 0) // no extensions of the filters
  writeU64(writer, 0) // nor of the frame
}

/** Writes the sizes of the frame's sections in bytes. */
export const writeTableOfContents = (writer: BitWriter, sizes: readonly number[]): void => {
  writeBool(writer, false) // in their natural order
  writer.padToByte()
  for (const size of sizes)
    writeU32(writer, size, [bitsFrom(10, 0), bitsFrom(14, 1024), bitsFrom(22, 17_408), bitsFrom(30, 4_211_712)])
  writer.padToByte()
}
