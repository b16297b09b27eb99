/** How long steps take on this machine: a table's ms, corrected by the steps that ended. */
export interface StepPace {
  /** Expected ms of a step that takes `usual` ms on a slow core. */
  readonly expected: (usual: number) => number
  /** Called after each step with what the table says and what it took, in ms. */
  readonly took: (usual: number, ms: number) => void
}

/** Weight of the latest step in the running mean. */
const LATEST = 0.5
/** Time of a step on an image of one pixel, in ms. Without it, an icon makes the steps of the next photograph look a thousand times as long. */
const FIXED_MS = 10

/** Opens a pace that trusts the table until the first step ended. */
export const openStepPace = (): StepPace => {
  let factor = 1
  return {
    expected: (usual) => (usual + FIXED_MS) * factor,
    took: (usual, ms) => {
      factor += LATEST * (ms / (usual + FIXED_MS) - factor)
    },
  }
}
