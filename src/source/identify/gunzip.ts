import { createGunzip } from 'node:zlib'

/** The first bytes, at most `most`, of what a gzip stream unpacks to; what comes before an error counts. */
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
    // Cut off or broken further on: the beginning is all that is asked for.
  }
  return Buffer.concat(chunks).subarray(0, most)
}
