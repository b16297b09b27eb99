import { fail } from '../core/failure.ts'
import type { Extent } from '../core/image.ts'
import { LOOK_MS } from '../core/intervals.ts'

/**
 * ms of CPU for one drawing. Measured on 57 files of icons, wallpapers and test suites: the slowest that is no bomb takes 0.4 s at
 * 1 megapixel and 2.4 s at 16 (a wallpaper of `desktop-base`).
 */
const CPU_MS = { fixed: 5_000, perMegapixel: 150 } as const

let abandoned = false

/** Whether a drawing goes on that was given up: librsvg cannot be stopped, so this process is of no more use. */
export const isStillDrawing = (): boolean => abandoned

/** CPU in ms that a drawing of a size in px may take. */
export const drawingCpuMs = ({ width, height }: Extent): number =>
  CPU_MS.fixed + (CPU_MS.perMegapixel * width * height) / 1e6

/**
 * Waits for a drawing, which runs on a thread of libvips while nothing else runs in this process. Fails with SVG_TOO_COMPLEX
 * once the process has used `cpuMs` of CPU since the call: a busy machine makes no drawing fail.
 */
export const withinCpu = async <Result>(drawing: Promise<Result>, cpuMs: number): Promise<Result> => {
  const since = process.cpuUsage()
  const { promise: over, reject } = Promise.withResolvers<never>()
  const look = (): void => {
    const { user, system } = process.cpuUsage(since)
    if ((user + system) / 1000 <= cpuMs) return
    abandoned = true
    reject(fail('SVG_TOO_COMPLEX', 'drawing it takes too long'))
  }
  const looking = setInterval(look, LOOK_MS)
  try {
    return await Promise.race([drawing, over])
  } finally {
    clearInterval(looking)
    // The abandoned drawing may still fail.
    drawing.catch(() => undefined)
  }
}
