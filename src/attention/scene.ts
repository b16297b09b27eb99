import type { Extent } from '../core/image.ts'
import type { Found } from './boxes.ts'
import type { TurnedFace } from './faces.ts'
import type { FoundObject } from './objects.ts'

/** Detections in an image, in fractions of its sides. */
export interface Scene extends Extent {
  readonly faces: readonly TurnedFace[]
  readonly objects: readonly FoundObject[]
  readonly text: readonly Found[]
  /** Weights of 32 x 32 cells, row by row, 0..1. */
  readonly saliency: Float32Array
}
