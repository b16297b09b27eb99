/** Exports of kernels/jpeg, written by `npm run kernels`. Addresses are bytes in its memory. */
export interface JpegExports {
  readonly memory: WebAssembly.Memory
  alloc(bytes: number): number
  clear(at: number, bytes: number): void
  mark(): number
  release(to: number): void
  parameterBlock(): number
  component(given: Readonly<{ c: number; coefs: number; stride: number; wide: number; high: number; h: number; v: number; marks: number; packed: number }>): void
  scan(n: number, wide: number, high: number): void
  scanComponent(i: number, c: number, dc: number, ac: number): void
  setTable(kind: number, id: number): number
  tableInbox(): number
  readScan(given: Readonly<{ first: number; last: number; kind: number; ss: number; se: number; al: number; interval: number }>): number
  scanEnd(): number
  histogramAt(slot: number): number
  codesAt(slot: number): number
  openOutput(at: number): void
  outputEnd(): number
  extraBits(): number
  resetCounts(): void
  writeDc(al: number): void
  writeAcFirst(c: number, ss: number, se: number, al: number): void
  writeAcRefine(c: number, ss: number, se: number, al: number): void
  writeSequential(): void
  chromaPlanes(given: Readonly<{ from: number; channels: number; width: number; height: number; h: number; v: number; cb: number; cr: number; padded: number; paddedHigh: number; scratch: number }>): void
  lumaBlocks(given: Readonly<{ from: number; channels: number; width: number; height: number; v: number; cb: number; cr: number; padded: number; most: number; dct: number; activities: number; luminances: number; scratch: number }>): void
  packRow(c: number, y: number, to: number): number
  unpackRow(from: number, wide: number, to: number, marks: number): void
  dering(given: Readonly<{ records: number; count: number; kept: number; dct: number; thresholds: number; first: number; last: number; turns: number; most: number; limit: number }>): void
  listClipped(from: number, channels: number, width: number, height: number, out: number): number
  forward(c: number, plane: number, padded: number, dct: number): void
  areaLosses(given: Readonly<{ blocks: number; widthInBlocks: number; heightInBlocks: number; stride: number; steps: number; leftAtHalf: number; out: number; step: number; constant: number; dark: number }>): number
  maskingWeights(given: Readonly<{ activities: number; n: number; floor: number; masking: number; least: number; most: number; known: number; out: number }>): number
  coarsen(from: number, n: number, h: number, v: number, to: number): void
  fitDcOffsets(given: Readonly<{ c: number; dct: number; step: number; wanted: number; slopes: number; reconstructed: number; moved: number; part: number; known: number; dcOffsets: number; expected: number }>): void
  luminanceSlopes(at: number, n: number, out: number): void
  countPlainly(c: number, dct: number, inverse: number, bias: number): void
  quantiseByTrellis(given: Readonly<{ c: number; dct: number; inverse: number; rates: number; weights: number; maskingWeights: number; lambda: number; bias: number }>): void
  quantiseDc(given: Readonly<{ c: number; dct: number; step: number; rates: number; lambda: number; maskingWeights: number; dcOffsets: number; scratch: number }>): void
  inverse(c: number, steps: number, plane: number): void
  reconstruct(given: Readonly<{ y: number; yStep: number; cb: number; cr: number; cStep: number; wide: number; high: number; h: number; v: number; width: number; height: number; to: number; means: number; scratch: number }>): void
  reconstructGrey(given: Readonly<{ y: number; yStep: number; width: number; height: number; to: number; means: number; scratch: number }>): void
  surveyBlocks(c: number, bits: number, masks: number, dcs: number): number
  surveyDc(given: Readonly<{ c: number; dcs: number; wide: number; high: number; h: number; v: number; out: number }>): void
  surveyFirst(given: Readonly<{ c: number; al: number; masks: number; at: number; n: number; out: number; counted: number }>): void
  surveyRefining(c: number, masks: number, older: number, at: number, n: number, out: number): void
}

/** Fields of the parameter blocks: name, type, offset in bytes. */
export const JPEG_LAYOUTS = {
  component: [['c', 'i32', 0], ['coefs', 'i32', 4], ['stride', 'i32', 8], ['wide', 'i32', 12], ['high', 'i32', 16], ['h', 'i32', 20], ['v', 'i32', 24], ['marks', 'i32', 28], ['packed', 'i32', 32]],
  readScan: [['first', 'i32', 0], ['last', 'i32', 4], ['kind', 'i32', 8], ['ss', 'i32', 12], ['se', 'i32', 16], ['al', 'i32', 20], ['interval', 'i32', 24]],
  chromaPlanes: [['from', 'i32', 0], ['channels', 'i32', 4], ['width', 'i32', 8], ['height', 'i32', 12], ['h', 'i32', 16], ['v', 'i32', 20], ['cb', 'i32', 24], ['cr', 'i32', 28], ['padded', 'i32', 32], ['paddedHigh', 'i32', 36], ['scratch', 'i32', 40]],
  lumaBlocks: [['from', 'i32', 0], ['channels', 'i32', 4], ['width', 'i32', 8], ['height', 'i32', 12], ['v', 'i32', 16], ['cb', 'i32', 20], ['cr', 'i32', 24], ['padded', 'i32', 28], ['most', 'f32', 32], ['dct', 'i32', 36], ['activities', 'i32', 40], ['luminances', 'i32', 44], ['scratch', 'i32', 48]],
  dering: [['records', 'i32', 0], ['count', 'i32', 4], ['kept', 'i32', 8], ['dct', 'i32', 12], ['thresholds', 'i32', 16], ['first', 'f32', 20], ['last', 'f32', 24], ['turns', 'i32', 28], ['most', 'f32', 32], ['limit', 'f32', 36]],
  areaLosses: [['blocks', 'i32', 0], ['widthInBlocks', 'i32', 4], ['heightInBlocks', 'i32', 8], ['stride', 'i32', 12], ['steps', 'i32', 16], ['leftAtHalf', 'i32', 20], ['out', 'i32', 24], ['step', 'f64', 32], ['constant', 'f64', 40], ['dark', 'f64', 48]],
  maskingWeights: [['activities', 'i32', 0], ['n', 'i32', 4], ['floor', 'f32', 8], ['masking', 'f32', 12], ['least', 'f32', 16], ['most', 'f32', 20], ['known', 'f64', 24], ['out', 'i32', 32]],
  fitDcOffsets: [['c', 'i32', 0], ['dct', 'i32', 4], ['step', 'f32', 8], ['wanted', 'i32', 12], ['slopes', 'i32', 16], ['reconstructed', 'i32', 20], ['moved', 'i32', 24], ['part', 'f32', 28], ['known', 'i32', 32], ['dcOffsets', 'i32', 36], ['expected', 'i32', 40]],
  quantiseByTrellis: [['c', 'i32', 0], ['dct', 'i32', 4], ['inverse', 'i32', 8], ['rates', 'i32', 12], ['weights', 'i32', 16], ['maskingWeights', 'i32', 20], ['lambda', 'f32', 24], ['bias', 'f32', 28]],
  quantiseDc: [['c', 'i32', 0], ['dct', 'i32', 4], ['step', 'f32', 8], ['rates', 'i32', 12], ['lambda', 'f32', 16], ['maskingWeights', 'i32', 20], ['dcOffsets', 'i32', 24], ['scratch', 'i32', 28]],
  reconstruct: [['y', 'i32', 0], ['yStep', 'i32', 4], ['cb', 'i32', 8], ['cr', 'i32', 12], ['cStep', 'i32', 16], ['wide', 'i32', 20], ['high', 'i32', 24], ['h', 'i32', 28], ['v', 'i32', 32], ['width', 'i32', 36], ['height', 'i32', 40], ['to', 'i32', 44], ['means', 'i32', 48], ['scratch', 'i32', 52]],
  reconstructGrey: [['y', 'i32', 0], ['yStep', 'i32', 4], ['width', 'i32', 8], ['height', 'i32', 12], ['to', 'i32', 16], ['means', 'i32', 20], ['scratch', 'i32', 24]],
  surveyDc: [['c', 'i32', 0], ['dcs', 'i32', 4], ['wide', 'i32', 8], ['high', 'i32', 12], ['h', 'i32', 16], ['v', 'i32', 20], ['out', 'i32', 24]],
  surveyFirst: [['c', 'i32', 0], ['al', 'i32', 4], ['masks', 'i32', 8], ['at', 'i32', 12], ['n', 'i32', 16], ['out', 'i32', 20], ['counted', 'i32', 24]],
} as const
