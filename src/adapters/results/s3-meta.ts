import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ResultMeta } from '../../ports/results.ts'
import { isResultMeta } from './is-result-meta.ts'
import { MAX_STORED_META_BYTES } from './result-file.ts'

/** Maximum bytes of packed metadata. S3 allows 2 KB including names. */
const MAX_META_BYTES = 1900

interface KeyedMeta {
  readonly key: string
  readonly meta: ResultMeta
}

const pack = (keyed: KeyedMeta): string => deflateRawSync(JSON.stringify(keyed)).toString('base64url')

/** Removes the last Warning. undefined without one. */
const withFewerWarnings = ({ key, meta }: KeyedMeta): KeyedMeta | undefined => {
  const { warning } = meta.headers
  if (!Array.isArray(warning) || warning.length === 0) return undefined
  return { key, meta: { ...meta, headers: { ...meta.headers, warning: warning.slice(0, -1) } } }
}

/** Packs the metadata of a result with its key for S3: deflated, in base64url. Drops the last Warnings if it would be too long. */
export const packMeta = (key: string, meta: ResultMeta): string => {
  let keyed: KeyedMeta | undefined = { key, meta }
  let packed = pack(keyed)
  while (packed.length > MAX_META_BYTES) {
    keyed = withFewerWarnings(keyed)
    if (keyed === undefined) throw new Error('The headers of this result are too long to be stored.')
    packed = pack(keyed)
  }
  return packed
}

/** Unpacks the output of {@link packMeta} for this key. undefined for any other text. */
export const unpackMeta = (key: string, packed: string | undefined): ResultMeta | undefined => {
  if (packed === undefined) return undefined
  try {
    const json = inflateRawSync(Buffer.from(packed, 'base64url'), { maxOutputLength: MAX_STORED_META_BYTES }).toString()
    const { key: own, meta } = JSON.parse(json) as { key?: unknown; meta?: unknown }
    return own === key && isResultMeta(meta) ? meta : undefined
  } catch {
    return undefined
  }
}
