import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { fail } from '../../core/failure.ts'
import type { Extent, Raster, SourceFacts } from '../../core/image.ts'
import { openApng } from './apng.ts'
import type { Animation } from './frames.ts'

/** Frames decoded at a time: bounds memory. Chosen, not measured. */
const CHUNK = {
  /** Frames. */
  frames: 32,
  /** Pixels of all of them. */
  pixels: 16e6,
} as const

export const chunkOf = ({ width, height }: Extent): number =>
  Math.max(1, Math.min(CHUNK.frames, Math.floor(CHUNK.pixels / (width * height))))

/** Cuts the tall image that libvips makes of pages into frames. */
const cutFrames = (data: Uint8Array, { width, height }: Extent): Raster[] => {
  const size = width * height * 4
  return Array.from({ length: Math.floor(data.length / size) }, (_, i) => ({
    width,
    height,
    channels: 4,
    data: data.subarray(i * size, (i + 1) * size),
  }))
}

const readPages = async (path: string, page: number, pages: number, extent: Extent): Promise<Raster[]> => {
  try {
    const image = sharp(path, { page, pages, failOn: 'none', limitInputPixels: false })
    const { data } = await image.toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    return cutFrames(data, extent)
  } catch {
    throw fail('SOURCE_DAMAGED')
  }
}

const openPaged = async (path: string): Promise<Animation> => {
  const facts = await sharp(path, { animated: true, failOn: 'none', limitInputPixels: false })
    .metadata()
    .catch(() => {
      throw fail('SOURCE_DAMAGED')
    })
  const extent = { width: facts.width, height: facts.pageHeight ?? facts.height }
  const frames = facts.pages ?? 1
  return {
    extent,
    frames,
    delays: facts.delay ?? [],
    loop: facts.loop ?? 1,
    read: (from, count) => readPages(path, from, Math.min(count, frames - from), extent),
  }
}

/** Opens an animated GIF, WebP or APNG file. An APNG has at most the frames that it was identified with. Fails with SOURCE_DAMAGED. */
export const openAnimation = async (
  path: string,
  { format, frames = Number.POSITIVE_INFINITY }: Pick<SourceFacts, 'format'> & Partial<Pick<SourceFacts, 'frames'>>,
): Promise<Animation> => (format === 'png' ? openApng(await readFile(path), frames) : openPaged(path))

/** All frames one after the other, decoded a chunk at a time. */
export async function* framesOf(animation: Animation): AsyncGenerator<Raster> {
  const step = chunkOf(animation.extent)
  for (let from = 0; from < animation.frames; from += step) yield* await animation.read(from, step)
}

/** Single frames by their numbers. */
export const pickFrames = async (animation: Animation, numbers: readonly number[]): Promise<Raster[]> => {
  const picked: Raster[] = []
  for (const number of numbers) {
    const [frame] = await animation.read(number, 1)
    if (frame === undefined) throw fail('SOURCE_DAMAGED')
    picked.push(frame)
  }
  return picked
}
