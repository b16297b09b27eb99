import sharp from 'sharp'
import { Failure, fail } from '../core/failure.ts'
import type { Box, Extent, Raster } from '../core/image.ts'
import { countLayers } from './count-layers.ts'
import { countUses } from './count-uses.ts'
import { drawingCpuMs, withinCpu } from './cpu-budget.ts'
import { countEmbeddedPixels } from './embedded-pixels.ts'
import { provideFonts } from './fonts.ts'
import { SVG_LIMITS } from './limits.ts'
import { type Element, printTree } from './tree.ts'

export interface Drawing {
  /** A sanitised document. */
  readonly root: Element
  /** Its size at 1x in px, as in `SourceFacts`. */
  readonly size: Extent
  /** The part to draw, in px at 1x, with fractions. Default: all of it. */
  readonly region?: Box
  /** Px of the result. The region is scaled to exactly this size. */
  readonly output: Extent
}

const ENTANGLED = 'its parts refer to each other too often'
const TOO_MUCH_EMBEDDED = 'the images within it have too many pixels'

/** Root attributes with another meaning, or none, on an inner `svg`. */
const ROOT_ONLY = ['x', 'y', 'width', 'height', 'overflow']

/**
 * Wraps the document in an outer one of exactly the output size. The inner one keeps its viewBox and preserveAspectRatio; the outer one
 * scales vectors, even if rounding changes the aspect ratio.
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

/** Memory of a drawing. */
const MEMORY = {
  /** Bytes per pixel of a surface: cairo's ARGB32. */
  surfaceBytes: 4,
  /** Surfaces that every drawing has. */
  ownSurfaces: 2,
  /** Bytes per pixel at most while a raster is decoded. */
  decodingBytes: 14,
} as const

/** Refuses a drawing that needs too much memory, before any pixel is drawn. */
const refuseLarge = async ({ root, output }: Drawing): Promise<void> => {
  const pixels = output.width * output.height
  const { sum, largest } = await countEmbeddedPixels(root)
  const embedded = sum * MEMORY.surfaceBytes + largest * MEMORY.decodingBytes
  const layers = countLayers(root)
  const bytes = pixels * MEMORY.surfaceBytes * (MEMORY.ownSurfaces + layers) + embedded
  if (layers === 0 && sum === 0) return // what the limits on pixels let through
  if (bytes > SVG_LIMITS.drawingBytes)
    throw fail('SVG_TOO_COMPLEX', layers * pixels > sum ? 'its effects are too many for its size' : TOO_MUCH_EMBEDDED)
}

/**
 * Draws a sanitised SVG at the output's resolution, as straight RGBA. Always scales vectors, never a bitmap. Fails with SVG_TOO_COMPLEX,
 * also when it takes more CPU than a drawing of this size may. librsvg goes on then ({@link isStillDrawing}), so call it only in a
 * child process that can be killed.
 */
export const drawSvg = async (drawing: Drawing): Promise<Raster> => {
  if (countUses(drawing.root) > SVG_LIMITS.uses) throw fail('SVG_TOO_COMPLEX', ENTANGLED)
  await refuseLarge(drawing)
  await provideFonts()
  // `unlimited` lifts libxml's 10 MB per node. Our own limits on bytes, elements and depth already hold.
  const image = sharp(Buffer.from(frame(drawing)), { unlimited: true, limitInputPixels: false })
  try {
    const drawn = image.toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    const { data, info } = await withinCpu(drawn, drawingCpuMs(drawing.output))
    return { width: info.width, height: info.height, channels: 4, data }
  } catch (error) {
    if (error instanceof Failure) throw error
    const why = error instanceof Error ? error.message : ''
    throw fail(
      'SVG_TOO_COMPLEX',
      /limit|exceed|recurs/i.test(why) ? ENTANGLED : 'it holds an error, or needs too much memory',
    )
  }
}
