import { type Coding, openAnimationCoder, type StoredFrame } from '../../src/motion/gif/coder/code-animation.ts'
import type { CodableAnimation } from '../../src/motion/gif/coder/frame.ts'

/** Codes an animation once. */
export function* codeAnimation(animation: CodableAnimation, coding: Coding): Generator<StoredFrame, void> {
  using coder = openAnimationCoder(animation)
  yield* coder.code(coding)
}
