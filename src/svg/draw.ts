import sharp from 'sharp'
import { fail } from '../core/failure.ts'
import type { Box, Extent, Raster } from '../core/image.ts'
import { countLayers } from './count-layers.ts'
import { countUses } from './count-uses.ts'
import { countEmbeddedPixels } from './embedded-pixels.ts'
import { provideFonts } from './fonts.ts'
import { SVG_LIMITS } from './limits.ts'
import { type Element, printTree } from './tree.ts'

export interface Drawing {
  /** A sanitised document. */
  readonly root: Element
  /** Its size at 1x, in px, as `SourceFacts` tells it. */
  readonly size: Extent
  /** What part of it to draw, in px at 1x, fractions allowed; all of it when absent. */
  readonly region?: Box
  /** px of the result: the region is scaled to exactly this. */
  readonly output: Extent
}

const ENTANGLED = 'its parts refer to each other too often'
const TOO_MUCH_EMBEDDED = 'the images within it have too many pixels'

/** Attributes of the root that mean something else, or nothing, on an inner `svg`. */
const ROOT_ONLY = ['x', 'y', 'width', 'height', 'overflow']

/**
 * Lays the document into an outer one of exactly the output size. The inner one keeps its viewBox and
 * preserveAspectRatio in its own proportions; the outer one scales vectors, even where rounding bends the proportions.
 */
const frame = ({ root, size, region, output }: Drawing): string => {
  const inner: Element = { ...root, attributes: new Map(root.attributes) }
  for (const name of ROOT_ONLY) inner.attributes.delete(name)
  inner.attributes.set('width', String(size.width))
  inner.attributes.set('height', String(size.height))
  const view = region ?? { left: 0, top: 0, ...size }
  const outer: Element = {
    kind: 'element',
    name: 'svg',
    attributes: new Map([
      ['width', String(output.width)],
      ['height', String(output.height)],
      ['viewBox', `${view.left} ${view.top} ${view.width} ${view.height}`],
      ['preserveAspectRatio', 'none'],
    ]),
    children: [inner],
  }
  return printTree(outer)
}

/** Bytes of a pixel: of a drawn surface, of two of them (one drawn, one handed out), and most while a raster is decoded. */
const SURFACE_BYTES = 4
const OWN_SURFACES = 2
const DECODING_BYTES = 14

/** Refuses a drawing that would take more memory than any is given, before a pixel of it is drawn. */
const refuseLarge = async ({ root, output }: Drawing): Promise<void> => {
  const pixels = output.width * output.height
  const { sum, largest } = await countEmbeddedPixels(root)
  const embedded = sum * SURFACE_BYTES + largest * DECODING_BYTES
  const layers = countLayers(root)
  const bytes = pixels * SURFACE_BYTES * (OWN_SURFACES + layers) + embedded
  if (layers === 0 && sum === 0) return // what the limits on pixels let through
  if (bytes > SVG_LIMITS.drawingBytes)
    throw fail('SVG_TOO_COMPLEX', layers * pixels > sum ? 'its effects are too many for its size' : TOO_MUCH_EMBEDDED)
}

/**
 * Draws a sanitised SVG at the output's resolution: straight RGBA. Vectors are scaled, never a bitmap of them.
 * It may run for long on a hostile document: only ever in a child process that can be killed. Fails with SVG_TOO_COMPLEX.
 */
export const drawSvg = async (drawing: Drawing): Promise<Raster> => {
  if (countUses(drawing.root) > SVG_LIMITS.uses) throw fail('SVG_TOO_COMPLEX', ENTANGLED)
  await refuseLarge(drawing)
  await provideFonts()
  // `unlimited` lifts libxml's 10 MB a node: our own limits on bytes, elements and depth hold already.
  const image = sharp(Buffer.from(frame(drawing)), { unlimited: true, limitInputPixels: false })
  try {
    const { data, info } = await image.toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    return { width: info.width, height: info.height, channels: 4, data }
  } catch (error) {
    const why = error instanceof Error ? error.message : ''
    throw fail(
      'SVG_TOO_COMPLEX',
      /limit|exceed|recurs/i.test(why) ? ENTANGLED : 'it holds an error, or needs too much memory',
    )
  }
}
