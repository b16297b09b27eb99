import { whittle } from '../client.ts'
import type { Placeholder } from '../placeholder.ts'
import type { ClientSettings, ImageResult } from '../send.ts'
import type { ImageRequest } from '../types.ts'
import { applyVariant, type Variant } from '../variant.ts'
import { limitConcurrency } from './limit-concurrency.ts'

/** An image to optimise: its content or an address that the service fetches, and a name for messages. */
export type BuildSource =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly name: string }
  | { readonly url: string; readonly name: string }

/** Where a build sends its requests, and how many at once. */
export interface RequestSettings extends Pick<ClientSettings, 'retries' | 'key'> {
  /** Address of the service, with its path prefix. */
  readonly base: string
  /** Name of the account. */
  readonly account: string
  /** Maximum number of simultaneous requests; 4 by default. */
  readonly concurrency?: number
}

/** Sends the requests of a build. Both functions fail like the client does. */
export interface BuildRequests {
  readonly fetchImage: (source: BuildSource, variant: Variant) => Promise<ImageResult>
  readonly fetchPlaceholder: (source: BuildSource) => Promise<Placeholder>
  /** The number of requests for an image that were sent. */
  readonly sentCount: () => number
}

/** After a connection failure requests fail at once for 10 s, so that a build with many images waits only once. Chosen, not measured. */
const UNREACHABLE_MS = 10_000

/** Opens the connection of a build to the service. It limits simultaneous requests; after a failure to connect, requests for images fail at once for 10 s. */
export const openBuildRequests = ({ base, account, retries, key, concurrency = 4 }: RequestSettings): BuildRequests => {
  const images = whittle(base, account, {
    ...(retries === undefined ? {} : { retries }),
    ...(key === undefined ? {} : { key }),
  })
  const limited = limitConcurrency(concurrency)
  let sent = 0
  let unreachable: { readonly until: number; readonly error: unknown } | undefined

  const requestOf = (source: BuildSource): ImageRequest =>
    'url' in source ? images.url(source.url) : images.upload(source.bytes, source.name)

  const fetchNow = async (source: BuildSource, variant: Variant): Promise<ImageResult> => {
    if (unreachable !== undefined && Date.now() < unreachable.until) throw unreachable.error
    sent += 1
    try {
      return await applyVariant(requestOf(source), variant).fetch()
    } catch (error) {
      if (error instanceof TypeError) unreachable = { until: Date.now() + UNREACHABLE_MS, error }
      throw error
    }
  }

  return {
    fetchImage: (source, variant) => limited(() => fetchNow(source, variant)),
    fetchPlaceholder: (source) => limited(() => requestOf(source).placeholder()),
    sentCount: () => sent,
  }
}
