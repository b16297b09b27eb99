import sharp from 'sharp'
import { RASTER_DATA, SVG_DATA } from './allowed.ts'
import { dataBytes, dataText } from './data-url.ts'
import { elementsOf, hrefOf } from './references.ts'
import { type Element, parseTree } from './tree.ts'

/** Pixels of embedded raster images. */
export interface EmbeddedPixels {
  /** Sum of all: decoded images are kept until the drawing is finished. */
  readonly sum: number
  /** The largest: decoding temporarily takes more memory. */
  readonly largest: number
}

const pixelsOf = async (url: string): Promise<number> => {
  try {
    const { width, height } = await sharp(dataBytes(url), { limitInputPixels: false }).metadata()
    return width * height
  } catch {
    return 0 // no image: nothing is drawn of it
  }
}

/** Distinct addresses of embedded rasters, including those in embedded SVG. */
const rasterUrls = (root: Element, found: Set<string>): Set<string> => {
  for (const element of elementsOf(root)) {
    const href = hrefOf(element) ?? ''
    if (RASTER_DATA.test(href)) found.add(href)
    else if (SVG_DATA.test(href)) rasterUrls(parseTree(dataText(href)).root, found)
  }
  return found
}

/** Sums the pixels of rasters in a sanitised document, by their headers. */
export const countEmbeddedPixels = async (root: Element): Promise<EmbeddedPixels> => {
  let sum = 0
  let largest = 0
  for (const url of rasterUrls(root, new Set())) {
    const pixels = await pixelsOf(url)
    sum += pixels
    largest = Math.max(largest, pixels)
  }
  return { sum, largest }
}
