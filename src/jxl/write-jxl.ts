/**
 * JPEG XL from a JPEG's coefficients (ISO/IEC 18181-1): one VarDCT frame of 8 x 8 transforms in YCbCr, with the JPEG's quantisation tables and
 * subsampling. LF coefficients are predicted by the weighted predictor; contexts are clustered; symbols are coded by ANS.
 */
import type { Orientation } from '../core/image.ts'
import { BitWriter } from './bits/bit-writer.ts'
import { bitsFrom, ceilLog2, formOf, writeF16, writeU32 } from './bits/fields.ts'
import type { Coefficients } from './coefficients.ts'
import { codeFor, type EntropyCode, encodeStreams, writeCode, writeTokens } from './entropy/entropy-code.ts'
import type { Tokens } from './entropy/tokens.ts'
import { type FrameGeometry, geometryOf } from './geometry.ts'
import { type SampleColours, writeFrameHeader, writeImageHeader, writeTableOfContents } from './headers.ts'
import { withKernel } from './kernel.ts'
import {
  lfStreams,
  metadataStream,
  quantTableStream,
  type TableTransform,
  writeStreamHeader,
} from './modular/streams.ts'
import { writeTree } from './modular/tree.ts'
import { blockContexts, hfContexts, writeBlockContexts } from './vardct/block-contexts.ts'
import { orderOf, writeOrders } from './vardct/coefficient-order.ts'
import { blockClasses, hfTokens, placeCoefficients } from './vardct/hf-tokens.ts'

/**
 * Scales with which all steps are exact: 65280 / 65536 is 255 / 256. So HF steps in 1/2048 and LF steps in 1/128 are those of a JPEG;
 * the format counts samples from 0 to 1.
 */
const SCALE = { global: 65_280, lf: 16, hfStep: 1 / 2048 } as const
/** Quantisation tables of a frame (ISO/IEC 18181-1, annex I). */
const TABLES = {
  /** Transforms whose tables are the usual ones: all but the first. */
  usual: 16,
  /** The kind of a table that is written in full. */
  raw: 7,
} as const

/** The modular streams of a frame with the code that they share. */
const modularPart = (geometry: FrameGeometry, { components }: Coefficients) => {
  const { tree, streams } = lfStreams(geometry)
  const [y, cb = y, cr = y] = components
  const tables = quantTableStream([cb.quantTable, y.quantTable, cr.quantTable], tree)
  const metadata = geometry.lfGroups.map((area) => metadataStream(area, tree))
  const code = codeFor([...streams, ...metadata, tables.tokens], tree.contexts)
  return { tree, streams, metadata, tables, code }
}

/** The HF coefficients of a frame with their code. */
const hfPart = (geometry: FrameGeometry, image: Coefficients) => {
  const { components } = image
  const contexts = blockContexts(components[0], components.length === 1)
  const classes = blockClasses(geometry, contexts.thresholds)
  const { orders, tokens } = withKernel((kernel) => {
    const [y, cb, cr] = placeCoefficients(kernel, image)
    const orders = geometry.channels.map(({ component }, c) => orderOf(kernel, component, [cb, y, cr][c]))
    return { orders, tokens: hfTokens(kernel, geometry, [y!, cb, cr], { contexts, orders, classes }) }
  })
  const code = codeFor(tokens, hfContexts(contexts))
  return { contexts, orders, streams: encodeStreams(code, tokens), code }
}

type ModularPart = ReturnType<typeof modularPart>
type HfPart = ReturnType<typeof hfPart>

/** Writes that chroma is not predicted from luma; by default Cr would be. */
const writeNoCorrelation = (writer: BitWriter): void => {
  writer.write(0, 1)
  writer.write(0, 2) // factors in 1/84
  writer.write(0, 16) // Cb
  writer.write(0, 16) // Cr
  for (let i = 0; i < 2; i++) writer.write(128, 8) // nor their LF coefficients
}

const writeLfGlobal = (writer: BitWriter, { components }: Coefficients, modular: ModularPart, hf: HfPart): void => {
  const [y, cb = y, cr = y] = components
  writer.write(0, 1) // LF steps:
  for (const { quantTable } of [cb, y, cr]) writeF16(writer, quantTable[0]!)
  writeU32(writer, SCALE.global, [bitsFrom(11, 1), bitsFrom(11, 2049), bitsFrom(12, 4097), bitsFrom(16, 8193)])
  writeU32(writer, SCALE.lf, [formOf(16), bitsFrom(5, 1), bitsFrom(8, 1), bitsFrom(16, 1)])
  writeBlockContexts(writer, hf.contexts)
  writeNoCorrelation(writer)
  writer.write(1, 1) // a tree:
  writeTree(writer, modular.tree.root)
  writeCode(writer, modular.code)
}

const writeStream = (writer: BitWriter, code: EntropyCode, tokens: Tokens, transform?: TableTransform): void => {
  writeStreamHeader(writer, transform)
  writeTokens(writer, code, tokens)
}

const writeLfGroup = (
  writer: BitWriter,
  { lfGroups }: FrameGeometry,
  { streams, metadata, code }: ModularPart,
  i: number,
): void => {
  const { width, height } = lfGroups[i]!
  writer.write(0, 2) // whole LF coefficients
  writeStream(writer, code, streams[i]!)
  writer.write(width * height - 1, ceilLog2(width * height)) // transforms
  writeStream(writer, code, metadata[i]!)
}

const writeHfGlobal = (
  writer: BitWriter,
  { groups }: FrameGeometry,
  { tables, code }: ModularPart,
  hf: HfPart,
): void => {
  writer.write(0, 1) // quantisation tables:
  writer.write(TABLES.raw, 3)
  writeF16(writer, SCALE.hfStep)
  writeStream(writer, code, tables.tokens, tables.transform)
  for (let i = 0; i < TABLES.usual; i++) writer.write(0, 3)
  writer.write(0, ceilLog2(groups.length)) // one set of distributions
  writeOrders(writer, hf.orders)
  writeCode(writer, hf.code)
}

/** Header fields that are written with the coefficients. */
export interface Described {
  readonly colours: SampleColours
  readonly orientation?: Orientation
}

/** Writes a codestream. Throws a RangeError where an LF step has no exact form (above 2048). */
export const writeJxl = (image: Coefficients, { colours, orientation = 1 }: Described): Uint8Array => {
  const geometry = geometryOf(image)
  const modular = modularPart(geometry, image)
  const hf = hfPart(geometry, image)
  const sections: ((writer: BitWriter) => void)[] = [
    (writer) => writeLfGlobal(writer, image, modular, hf),
    ...geometry.lfGroups.map((_, i) => (writer: BitWriter) => writeLfGroup(writer, geometry, modular, i)),
    (writer) => writeHfGlobal(writer, geometry, modular, hf),
    ...hf.streams.map(
      ({ bytes, bits }) =>
        (writer: BitWriter) =>
          writer.writeBits(bytes, bits),
    ),
  ]
  const writer = new BitWriter()
  writeImageHeader(writer, { width: image.width, height: image.height, orientation, colours })
  writeFrameHeader(writer, geometry)
  // A frame of one group is one section.
  const parts =
    geometry.groups.length === 1 ? [inOneSection(sections)] : sections.map((section) => inOneSection([section]))
  writeTableOfContents(
    writer,
    parts.map(({ length }) => length),
  )
  for (const part of parts) writer.append(part)
  return writer.finish()
}

const inOneSection = (sections: readonly ((writer: BitWriter) => void)[]): Uint8Array => {
  const writer = new BitWriter()
  for (const section of sections) section(writer)
  return writer.finish()
}
