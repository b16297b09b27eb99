/** A parsed raw request target (§1). */
export type Address =
  | { readonly kind: 'home' }
  /** `/-/…`: an address of the service itself. `path` is without path prefix and query. */
  | { readonly kind: 'own'; readonly path: string }
  /** The image address is absent for uploads. All parts are as sent. */
  | {
      readonly kind: 'image'
      readonly username: string
      readonly options: string | undefined
      readonly imageUrl: string | undefined
    }

const withoutQuery = (target: string): string => target.split('?', 1)[0]!

/** Removes the origin of a target in absolute form (`http://host/path`), as proxies send it. */
const withoutOrigin = (target: string): string => target.replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)/i, '') || '/'

const withoutPrefix = (target: string, prefix: string): string =>
  prefix !== '' && (target === prefix || target.startsWith(`${prefix}/`)) ? target.slice(prefix.length) || '/' : target

/**
 * Splits a raw, undecoded request target (§1.2). `prefix` is the path of the service (§1.7), without a slash at its end. Accepts
 * targets without it, since a proxy may have removed it.
 */
export const splitTarget = (rawTarget: string, prefix = ''): Address => {
  const target = withoutPrefix(rawTarget.startsWith('/') ? rawTarget : withoutOrigin(rawTarget), prefix)
  const path = withoutQuery(target)
  if (path === '/' || path === '') return { kind: 'home' }
  if (path === '/-' || path.startsWith('/-/')) return { kind: 'own', path }
  const [, username = '', options, rest] = /^\/([^/?]*)(?:\/([^/?]*))?(?:\/(.*))?/s.exec(target) ?? []
  const imageUrl = rest === undefined || withoutQuery(rest) === '' ? undefined : rest
  return { kind: 'image', username, options: options === '' ? undefined : options, imageUrl }
}
