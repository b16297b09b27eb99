import type { Raster } from '../../core/image.ts'
import { chunkOf } from './animation.ts'
import type { Animation } from './frames.ts'

/** Whether two frames show the same: colour under full transparency does not count. */
const showSame = (a: Raster, b: Raster): boolean => {
  if (a.width !== b.width || a.height !== b.height) return false
  if (Buffer.compare(a.data, b.data) === 0) return true
  for (let at = 0; at < a.data.length; at += 4) {
    if (a.data[at + 3] === 0 && b.data[at + 3] === 0) continue
    for (let c = 0; c < 4; c++) if (a.data[at + c] !== b.data[at + c]) return false
  }
  return true
}

/** Whether two animations play alike: frames, loop, and the delays as stored. */
export const playSame = (a: Animation, b: Animation): boolean =>
  a.frames === b.frames &&
  a.loop === b.loop &&
  a.delays.length === b.delays.length &&
  a.delays.every((delay, i) => delay === b.delays[i])

/** Whether all frames of two animations show the same pixels, compared a chunk at a time. */
export const lookSame = async (a: Animation, b: Animation): Promise<boolean> => {
  const step = chunkOf(a.extent)
  for (let from = 0; from < a.frames; from += step) {
    const [ours, theirs] = await Promise.all([a.read(from, step), b.read(from, step)])
    if (ours.length !== theirs.length || !ours.every((frame, i) => showSame(frame, theirs[i]!))) return false
  }
  return true
}
