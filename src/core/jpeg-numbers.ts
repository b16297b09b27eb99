/** Numbers of JPEG (ITU-T T.81, section or annex behind each). */
export const JPEG = {
  /** Bits of a Huffman code at most (annex C). */
  maxCodeBits: 16,
  /** Symbols of a Huffman code, with the one that takes the code of all ones (K.2). */
  maxSymbols: 257,
  /** The step of DC that moves a block's mean by one code value: DC is eight times the mean (A.3.3). */
  dcStepOfCodeValue: 8,
  /** Offset of the number of components in a frame's segment with its marker (B.2.2). */
  componentsAt: 9,
  /** Bytes of a colour profile in one segment at most: 65,535 without length and label (ICC.1:2022, annex B.4). */
  maxProfileBytes: 65_519,
  /** Side of the largest MCU of our subsamplings, in px (A.2). */
  mcuSide: 16,
} as const
