/** Exports of kernels/jxl, written by `npm run kernels`. Addresses are bytes in its memory. */
export interface JxlExports {
  readonly memory: WebAssembly.Memory
  alloc(bytes: number): number
  clear(at: number, bytes: number): void
  mark(): number
  release(to: number): void
  parameterBlock(): number
  clusterHistograms(all: number): void
  countSymbols(tokens: number, length: number, counts: number, size: number): number
  encodedBits(): number
  encodeTokens(given: Readonly<{ tokens: number; length: number; contextMap: number; logSize: number; frequencies: number; starts: number; slots: number; renewals: number; out: number }>): number
  countCoefficients(coefficients: number, blocks: number, counts: number): void
  hfTokens(group: number, out: number): number
  inverse(given: Readonly<{ coefs: number; stride: number; wide: number; high: number; steps: number; one: number; plane: number; pitch: number; block: number }>): void
  joinColour(given: Readonly<{ luma: number; cb: number; cr: number; yPitch: number; cPitch: number; h: number; v: number; width: number; height: number; out: number; scratch: number }>): void
  joinGrey(luma: number, pitch: number, width: number, height: number, out: number): void
  predictorScratch(width: number): number
  predictWeighted(samples: number, width: number, height: number, predicted: number, largest: number, scratch: number): void
}

/** Fields of the parameter blocks: name, type, offset in bytes. */
export const JXL_LAYOUTS = {
  encodeTokens: [['tokens', 'i32', 0], ['length', 'i32', 4], ['contextMap', 'i32', 8], ['logSize', 'i32', 12], ['frequencies', 'i32', 16], ['starts', 'i32', 20], ['slots', 'i32', 24], ['renewals', 'i32', 28], ['out', 'i32', 32]],
  inverse: [['coefs', 'i32', 0], ['stride', 'i32', 4], ['wide', 'i32', 8], ['high', 'i32', 12], ['steps', 'i32', 16], ['one', 'f32', 20], ['plane', 'i32', 24], ['pitch', 'i32', 28], ['block', 'i32', 32]],
  joinColour: [['luma', 'i32', 0], ['cb', 'i32', 4], ['cr', 'i32', 8], ['yPitch', 'i32', 12], ['cPitch', 'i32', 16], ['h', 'i32', 20], ['v', 'i32', 24], ['width', 'i32', 28], ['height', 'i32', 32], ['out', 'i32', 36], ['scratch', 'i32', 40]],
} as const
