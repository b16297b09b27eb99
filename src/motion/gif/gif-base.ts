import type { Animation } from '../frames/frames.ts'

/** The GIF that a search stores in ever smaller ways. */
export interface GifBase {
  readonly path: string
  readonly animation: Animation
  /** The file is the source itself: nothing was asked but to store it well. */
  readonly isSource: boolean
}
