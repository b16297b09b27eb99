import { createGunzip } from 'node:zlib'

/** Returns the first `maxBytes` bytes of a gzip stream, or fewer if it is truncated or damaged. */
export const gunzipStart = async (packed: Buffer, maxBytes: number): Promise<Buffer> => {
  const gunzip = createGunzip()
  gunzip.end(packed)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= maxBytes) break
    }
  } catch {
    // The stream is truncated or damaged. The caller needs only its beginning.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}
