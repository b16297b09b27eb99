/** Exports of kernels/gif, written by `npm run kernels`. Addresses are bytes in its memory. */
export interface GifExports {
  readonly memory: WebAssembly.Memory
  configure(width: number, height: number, colours: number): number
  tablePointsAddress(): number
  tableOpaqueAddress(): number
  wishAddress(): number
  nextAddress(): number
  weightsAddress(): number
  palettePointsAddress(): number
  paletteAddress(): number
  canvasAddress(): number
  codesAddress(): number
  codesLength(): number
  codeSize(): number
  left(): number
  top(): number
  across(): number
  down(): number
  clearsAfter(): number
  beginFrame(colours: number, most: number, bit: number, hasNext: boolean | number): void
  code(most: number): number
  draw(): void
  clear(): void
}
