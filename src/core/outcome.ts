import type { OutputFormat, Point, SourceFacts } from './image.ts'

/** A result file of the engine. The engine offers better ones while it searches. */
export interface ResultFile {
  readonly format: OutputFormat
  /** File in the job's directory. */
  readonly path: string
  readonly bytes: number
  readonly width: number
  readonly height: number
  readonly frames: number
  /** SSIMULACRA 2.1 of the file against the requested pixels, if measured. */
  readonly score?: number
  /** Butteraugli's 3-norm of the same, if measured. */
  readonly butteraugli?: number
  /** Distance to the tightest bound in points of SSIMULACRA 2.1. Negative when a bound is broken. */
  readonly margin?: number
  /** Whether the result meets its target by measurement, or is lossless. */
  readonly meetsTarget?: boolean
  /** Full encodes so far. */
  readonly encodes: number
  readonly warnings: readonly string[]
  /** The source's own pixels or coefficients, at most stored differently. */
  readonly untouched?: boolean
  /** The deadline ended the search. A longer one may give a smaller file, so this result is never reused (§5.2). */
  readonly cutShort?: boolean
  /** Animations: number of plays, 0 = endless. */
  readonly loopCount?: number
  /** Animations and video: milliseconds. */
  readonly durationMs?: number
  /** `crop=auto` only: the middle of the shown part, as fractions of the whole source. */
  readonly focus?: Point
}

/** Progress of a phase, in steps such as frames. For logs and metrics. */
export interface Progress {
  /** A fixed name: decode, encode, encode pass 1, encode pass 2, score, search. */
  readonly phase: string
  readonly done: number
  readonly of: number
}

/** Milliseconds by stage: decode, resize, search … */
export type Stages = Readonly<Record<string, number>>

/** A job for a child process. Plain data. */
export interface Job<Plan> {
  readonly path: string
  readonly facts: SourceFacts
  readonly plan: Plan
  /** Scratch directory of this job. Its owner removes it. */
  readonly directory: string
  /** Milliseconds for the child, from receipt. */
  readonly budget: number
  /** ms after which the best result so far is returned, or a quick one without any (§8.2). */
  readonly quickAfterMs?: number
  /** Only described, not optimised (§9.1). The plan is used for the estimate. */
  readonly inspect?: true
  readonly ffmpegPath?: string
}
