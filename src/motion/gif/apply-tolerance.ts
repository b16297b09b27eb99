import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { framesOf } from '../frames/animation.ts'
import type { Animation } from '../frames/frames.ts'
import { openInterFrameTolerance } from './inter-frame-tolerance.ts'
import { type PlainFrame, plainGif } from './write-gif.ts'

/** Writes a GIF in which changes within the tolerance are left out; undefined where that cannot be done or changes nothing. */
export const applyTolerance = async (
  animation: Animation,
  tolerance: number,
  directory: string,
): Promise<string | undefined> => {
  const { width, height } = animation.extent
  const encoder = openInterFrameTolerance(width * height, tolerance)
  const path = join(directory, `tolerant-${tolerance}.gif`)
  let able = true
  async function* frames(): AsyncGenerator<PlainFrame> {
    let number = 0
    for await (const frame of framesOf(animation)) {
      const plain = encoder.next(frame, animation.delays[number++] ?? 0)
      able = plain !== undefined
      if (plain === undefined) return
      yield plain
    }
  }
  await writeFile(path, plainGif({ width, height, loop: animation.loop }, frames()))
  return able && encoder.kept() > 0 ? path : undefined
}
