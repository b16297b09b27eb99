/** A channel of a modular image: whole numbers, row by row. */
export interface Channel {
  readonly width: number
  readonly height: number
  readonly samples: Int32Array
}
