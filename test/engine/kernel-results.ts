/**
 * Results of every kernel on a few images, to the last bit: one JSON to standard error. A process of its own, because KERNEL_VECTORS is
 * read when a kernel is compiled.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { findAttention } from '../../src/attention/find-attention.ts'
import type { AnyRaster } from '../../src/core/image.ts'
import { jxlFromJpeg } from '../../src/jxl/from-jpeg.ts'
import { openMetrics } from '../../src/metric/metrics.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { portrait } from '../attention/portrait.ts'
import { DISTORTIONS, distort } from '../golden/distort.ts'
import { asSharp, readRaster } from '../golden/read-raster.ts'
import { run } from './run.ts'

const pair = (name: string): string => fileURLToPath(new URL(`../golden/pairs/${name}`, import.meta.url))
const PHOTOGRAPH = pair('056-original.png')
const SOFT_LOGO = pair('000-original.png')

const metrics = await openMetrics()

const figuresOf = (image: AnyRaster): unknown[] => {
  using reference = metrics.prepare(image)
  return DISTORTIONS.map((distortion) => ({ ...reference.measure(distort(image, distortion)) }))
}

/** A part whose sides fill neither vectors nor blocks. */
const oddPart = async (): Promise<AnyRaster> => {
  const part = await asSharp(await readRaster(PHOTOGRAPH)).extract({ left: 3, top: 5, width: 117, height: 93 })
  return readRaster(await part.png().toBuffer())
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const resultFigures = async (file: string, options: string): Promise<unknown> => {
  const { bytes, score } = await run(await readFile(file), { options })
  return { options, score, bytes: bytes.length, digest: digestOf(bytes) }
}

const asJxl = async (file: string): Promise<unknown> => {
  const { bytes } = await run(await readFile(file), { options: 'full,format=jpeg' })
  const jxl = jxlFromJpeg(bytes)
  return { written: digestOf(jxl.bytes), shown: digestOf(jxl.shown().data) }
}

console.error(
  JSON.stringify({
    figures: [
      figuresOf(await readRaster(PHOTOGRAPH)),
      figuresOf(await readRaster(SOFT_LOGO)),
      figuresOf(await oddPart()),
    ],
    made: [
      await resultFigures(PHOTOGRAPH, 'full,format=jpeg'),
      await resultFigures(PHOTOGRAPH, '90,format=jpeg,quality=high'),
      await resultFigures(PHOTOGRAPH, '101x67,format=png,quality=low'),
      await resultFigures(SOFT_LOGO, 'full,format=png'),
    ],
    jxl: await asJxl(PHOTOGRAPH),
    attention: [await findAttention(await toPixels(await readFile(PHOTOGRAPH))), await findAttention(await portrait())],
  }),
)
