/** Sizes in bytes of the fixed headers of file formats. */
export const HEADER_SIZES = {
  /** BITMAPFILEHEADER (wingdi.h). */
  bmpFile: 14,
  /** BITMAPV5HEADER, the longest, with three masks after it (wingdi.h). */
  dib: 124 + 12,
  /** Signature and logical screen descriptor (GIF89a, sections 17 and 18). A global colour table may follow. */
  gif: 13,
  /** The longest start of a block: an application extension with its loop count (GIF89a, section 26, and Netscape's extension). */
  gifBlock: 18,
  /** Image descriptor and code size, without the colour table between them (GIF89a, sections 20 and 22). */
  gifImage: 11,
  /** Header of a profile (ICC.1:2022, section 7.2). */
  icc: 128,
  /** Entry of its tag table: signature, offset, size (ICC.1:2022, section 7.3). */
  iccTag: 12,
  /** Index of two pictures with its marker and length (CIPA DC-007), and marker, length and label, from whose end its offsets count. */
  pictureIndex: 90,
  pictureIndexHead: 8,
  /** Size and type of a box (ISO 14496-12, section 4.2). */
  box: 8,
  /** Version and flags after the header of a FullBox (likewise). */
  fullBox: 4,
  /** Number of a part at the start of a `jxlp` box (ISO/IEC 18181-2, section 9.9). */
  jxlPart: 4,
  /** Length, type and checksum of a chunk (PNG, section 5.3). */
  pngChunk: 12,
  /** Header with the length of the next section (Adobe Photoshop file format). */
  psd: 26,
  /** `RIFF`, length of the rest, and name of the form (RFC 9649, section 2.4). */
  riff: 12,
  /** Name and length of a chunk (RFC 9649, section 2.3). */
  riffChunk: 8,
  /** Position, size and duration of a frame, before the chunks inside ANMF (RFC 9649, section 2.7.1.1). */
  webpFrame: 16,
  /** Directory entry: tag, type, count, value or offset (TIFF 6.0, section 2). */
  tiffEntry: 12,
} as const
