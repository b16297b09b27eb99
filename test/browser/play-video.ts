import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import type { Raster } from '../../src/core/image.ts'

export interface Played {
  readonly width: number
  readonly height: number
  readonly durationMs: number
  /** The video played to its end. Otherwise playing rejects. */
  readonly ended: true
  /** The screen at each of the given times. */
  readonly shots: readonly Raster[]
}

interface Raw extends Omit<Played, 'shots'> {
  readonly shots: readonly string[]
}

/** Runs in the page: plays a video to its end, then captures it at the given times (in ms). */
const playInPage = async ({
  data,
  type,
  times,
}: {
  data: string
  type: string
  times: readonly number[]
}): Promise<Raw> => {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0))
  const video = document.createElement('video')
  document.body.append(video)
  const until = (event: string): Promise<void> =>
    new Promise((resolve, reject) => {
      video.addEventListener(event, () => resolve(), { once: true })
      video.addEventListener('error', () => reject(new Error(`${video.error?.message}`)), { once: true })
    })
  video.muted = true
  const loaded = until('loadeddata')
  video.src = URL.createObjectURL(new Blob([bytes], { type }))
  await loaded
  const ended = until('ended')
  video.playbackRate = Math.min(16, Math.max(1, video.duration / 2))
  await video.play()
  await ended
  const canvas = document.createElement('canvas')
  canvas.width = video.videoWidth
  canvas.height = video.videoHeight
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  // 'seeked' may fire before the frame is painted. A seek to the painted frame paints nothing: then the time decides.
  const painted = (): Promise<unknown> =>
    Promise.race([
      new Promise((resolve) => video.requestVideoFrameCallback(resolve)),
      new Promise((resolve) => setTimeout(resolve, 10_000)),
    ])
  const shots: string[] = []
  for (const time of times) {
    const seeked = until('seeked')
    const shown = painted()
    video.currentTime = time / 1000
    await seeked
    await shown
    context.drawImage(video, 0, 0)
    const { data: pixels } = context.getImageData(0, 0, canvas.width, canvas.height)
    let text = ''
    for (let at = 0; at < pixels.length; at += 32_768) text += String.fromCharCode(...pixels.subarray(at, at + 32_768))
    shots.push(btoa(text))
  }
  return {
    width: video.videoWidth,
    height: video.videoHeight,
    durationMs: video.duration * 1000,
    ended: true,
    shots,
  }
}

/** Plays a video file in the browser and returns the captured frames. */
export const playVideo = async (page: Page, path: string, times: readonly number[]): Promise<Played> => {
  const data = (await readFile(path)).toString('base64')
  const type = path.endsWith('.mp4') ? 'video/mp4' : 'video/webm'
  const { shots, ...raw } = await page.evaluate(playInPage, { data, type, times })
  return {
    ...raw,
    shots: shots.map((shot) => ({
      width: raw.width,
      height: raw.height,
      channels: 4,
      data: Buffer.from(shot, 'base64'),
    })),
  }
}
