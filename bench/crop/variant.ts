import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A change of the source text of one file of src/attention: `from`, which stands there once, becomes `to`. */
export interface Change {
  readonly file: string
  readonly from: string
  readonly to: string
}

const ATTENTION = new URL('../../src/attention/', import.meta.url).href
const changes = new Map<string, readonly Change[]>()

const changed = (url: URL, change: readonly Change[]): string =>
  change
    .filter(({ file }) => url.pathname === new URL(file, ATTENTION).pathname)
    .reduce(
      (text, { file, from, to }) => {
        if (text.split(from).length !== 2) throw new Error(`${file} does not contain once: ${from}`)
        return text.replace(from, () => to)
      },
      readFileSync(fileURLToPath(url), 'utf8'),
    )

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    const variant = new URL(context.parentURL ?? 'file:///').searchParams.get('variant')
    return variant !== null && resolved.url.startsWith(ATTENTION)
      ? { ...resolved, url: `${resolved.url}?variant=${variant}` }
      : resolved
  },
  load: (url, context, next) => {
    const change = changes.get(new URL(url).searchParams.get('variant') ?? '')
    if (change === undefined) return next(url, context)
    return { format: 'module-typescript', source: changed(new URL(url), change), shortCircuit: true }
  },
})

/** Imports a module of src/attention with changes of it and of what it imports from there. */
export const importVariant = (module: string, change: readonly Change[]): Promise<unknown> => {
  const name = String(changes.size)
  changes.set(name, change)
  return import(`${ATTENTION}${module}?variant=${name}`)
}
