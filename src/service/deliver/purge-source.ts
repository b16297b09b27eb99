import { fail } from '../../core/failure.ts'
import { identifyRequest, readIdentified } from '../accounts/read-request.ts'
import type { OptimiseRequest, Service } from '../service.ts'
import { nameOf } from './delivery-source.ts'

/**
 * Removes all stored results and the record of a source (§8.5). Resolves with the number of results. `key`: a signing key of the
 * account. Fails with PURGE_REFUSED without one.
 */
export const purgeSource = async (
  service: Service,
  request: OptimiseRequest,
  key: string | undefined,
): Promise<number> => {
  const identified = await identifyRequest(service, request)
  const { account } = identified
  const isOwner = key !== undefined && (account.delivery?.keys ?? []).map((own) => own.is(key)).includes(true)
  if (!isOwner) throw fail('PURGE_REFUSED')
  const { url } = readIdentified(service, request, identified)
  if (url === undefined) throw fail('IMAGE_URL_MISSING')
  const results = new Set<string>()
  for (const by of ['delivered', 'posted'] as const) {
    const name = nameOf(service, { account, url }, by)
    for (const result of (await service.sources.take(name))?.results ?? []) results.add(result)
  }
  let purged = 0
  for (const result of results) {
    if ((await service.results.get(result)) === undefined) continue
    await service.results.remove(result)
    purged += 1
  }
  return purged
}
