import type { ResultMeta } from '../../ports/results.ts'

/** Whether parsed JSON is what a store keeps of a result; whatever a damaged or foreign file holds instead is not. */
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
