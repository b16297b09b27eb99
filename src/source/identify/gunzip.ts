import { createGunzip } from 'node:zlib'

/** Decompresses at most `most` bytes of a gzip stream. Bytes before an error count. */
export const gunzipStart = async (packed: Buffer, most: number): Promise<Buffer> => {
  const gunzip = createGunzip()
  gunzip.end(packed)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= most) break
    }
  } catch {
    // Truncated or broken later on: only the beginning is needed.
  }
  return Buffer.concat(chunks).subarray(0, most)
}
