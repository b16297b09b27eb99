import { createHash } from 'node:crypto'
import type { ResultMeta, Results } from '../ports/results.ts'
import { ageCacheControl } from '../source/cacheability.ts'
import type { ImageAnswer } from './answer.ts'

/** The metadata of an image response for the result store. */
export const metaOf = (answer: ImageAnswer, promised: boolean): ResultMeta => ({
  promised,
  contentType: answer.contentType,
  bytes: answer.bytes,
  etag: answer.etag,
  headers: {
    ...answer.facts,
    warning: answer.warnings,
    ...(answer.cacheControl === undefined ? {} : { 'cache-control': answer.cacheControl }),
    ...(answer.variesByAccept ? { vary: 'Accept' } : {}),
  },
  createdAt: Date.now(),
})

const many = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value

/** Restores a response from the store. undefined when it is not there. */
export const recall = async (results: Results, key: string): Promise<ImageAnswer | undefined> => {
  const stored = await results.get(key)
  if (stored === undefined) return undefined
  const { warning, vary, 'cache-control': cacheControl, ...facts } = stored.meta.headers
  return {
    kind: 'image',
    contentType: stored.meta.contentType,
    body: stored.open,
    bytes: stored.meta.bytes,
    etag: stored.meta.etag,
    warnings: many(warning),
    ...(typeof cacheControl === 'string'
      ? { cacheControl: ageCacheControl(cacheControl, (Date.now() - stored.meta.createdAt) / 1000) }
      : {}),
    stages: {},
    facts: Object.fromEntries(
      Object.entries(facts).flatMap(([name, value]) => many(value).map((text) => [name, text])),
    ),
    variesByAccept: vary !== undefined,
    stored: true,
  }
}

/** The entity tag for a body with this SHA-256 (hex), shortened to 128 bits. */
export const etagFrom = (digest: string): string => `"${digest.slice(0, 32)}"`

/** The entity tag of a body. */
export const etagOf = (body: Uint8Array): string => etagFrom(createHash('sha256').update(body).digest('hex'))
