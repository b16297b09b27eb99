import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'

/** px of each image, and of the result. */
const WIDTH = 600
const HEIGHT = 400

/** Writes `count` photographs to `directory`, each another part of `photo` so that no two are the same work, and all alike in cost. */
export const cutImages = async (photo: string, directory: string, count: number): Promise<readonly string[]> => {
  const { width, height } = await sharp(photo).metadata()
  const across = width - WIDTH
  const down = height - HEIGHT
  if (across < 1 || down < 1) throw new Error(`${photo} must be larger than ${WIDTH}x${HEIGHT} px.`)
  if (count > across * down) throw new Error(`${photo} has no ${count} different parts.`)
  const paths: string[] = []
  for (let at = 0; at < count; at++) {
    // A step that has no divisor in common with the number of places visits every place once.
    const place = (at * 7919) % (across * down)
    const region = { left: place % across, top: Math.floor(place / across), width: WIDTH, height: HEIGHT }
    const path = join(directory, `${at}.jpg`)
    await writeFile(path, await sharp(photo).extract(region).jpeg({ quality: 90 }).toBuffer())
    paths.push(path)
  }
  return paths
}
