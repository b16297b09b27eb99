import type { OutputFormat, Point, SourceFacts } from './image.ts'

/** A result file that the engine made; ever better ones are offered while the work goes on. */
export interface Made {
  readonly format: OutputFormat
  /** File in the job's directory. */
  readonly path: string
  readonly bytes: number
  readonly width: number
  readonly height: number
  readonly frames: number
  /** SSIMULACRA 2.1 of the bytes at `path` against the pixels that were asked for, where it was measured. */
  readonly score?: number
  /** Butteraugli's 3-norm of the same, where it was measured. */
  readonly butteraugli?: number
  /** Whether the result reaches its quality target by measurement, or is lossless. */
  readonly meetsTarget?: boolean
  /** How many full encodes the result took so far. */
  readonly encodes: number
  readonly warnings: readonly string[]
  /** The source's own pixels or coefficients, only stored differently or not at all. */
  readonly untouched?: boolean
  /** The deadline ended the search: a longer one may give a smaller file, so this is never reused (§5.2). */
  readonly cutShort?: boolean
  /** Animations: plays in all, 0 = for ever. */
  readonly loopCount?: number
  /** Animations and video: in milliseconds. */
  readonly durationMs?: number
  /** `crop=auto` alone: the middle of what is shown, as fractions of the whole source. */
  readonly focus?: Point
}

/** How far a phase of long work has got, in steps such as frames; for logs and metrics. */
export interface Progress {
  /** One of a few fixed names: decode, encode, encode pass 1, encode pass 2, score, search. */
  readonly phase: string
  readonly done: number
  readonly of: number
}

/** Milliseconds spent by stage: decode, resize, search … */
export type Stages = Readonly<Record<string, number>>

/** One image for a child process. Plain data. */
export interface Job<Plan> {
  readonly path: string
  readonly facts: SourceFacts
  readonly plan: Plan
  /** Scratch directory of this job alone; its owner removes it. */
  readonly directory: string
  /** Milliseconds that the child may take from receipt. */
  readonly budget: number
  /** ms after which the best that there is will do, and a quick one is made where there is none (§8.2). */
  readonly soonMs?: number
  /** Only told of, and not optimised (§9.1): the plan is what is estimated. */
  readonly inspect?: true
  readonly ffmpegPath?: string
}
