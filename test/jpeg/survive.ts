import { JpegRefusal } from '../../src/jpeg/bitstream/refusal.ts'
import { type TranscodedJpeg, transcodeJpeg } from '../../src/jpeg/bitstream/transcode.ts'

/** Transcodes damaged bytes; undefined for a refusal, which is an answer too. Anything else thrown escapes. */
export const survive = (bytes: Uint8Array): TranscodedJpeg | undefined => {
  try {
    return transcodeJpeg(bytes)
  } catch (failure) {
    if (failure instanceof JpegRefusal) return undefined
    throw failure
  }
}
