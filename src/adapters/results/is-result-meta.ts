import type { ResultMeta } from '../../ports/results.ts'

/** Whether parsed JSON is the metadata of a result. False for the content of a damaged or foreign file. */
export const isResultMeta = (value: unknown): value is ResultMeta => {
  const meta = value as Partial<ResultMeta> | null
  return (
    typeof meta === 'object' &&
    typeof meta?.contentType === 'string' &&
    typeof meta.etag === 'string' &&
    Number.isSafeInteger(meta.bytes) &&
    Number.isFinite(meta.createdAt) &&
    typeof meta.headers === 'object' &&
    meta.headers !== null
  )
}
