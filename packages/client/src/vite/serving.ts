/** Vite's rule for the files that a development server may send (`server.fs` of its configuration). */
import type { ViteConfig } from './types.ts'

/** Whether the server may send the file at an absolute path. */
export type MayServe = (file: string) => boolean

/** The two forms of Vite's rule: by path from version 7 on, by address in version 6. */
interface ViteRule {
  readonly isFileLoadingAllowed?: (config: ViteConfig, file: string) => boolean
  readonly isFileServingAllowed?: (config: ViteConfig, url: string) => boolean
}

/**
 * Returns the rule of the running Vite. A build may read every file that its own code imports. A development server answers
 * any client of its port, so it sends only files that `server.fs` allows. Fails with an Error if this Vite has no such rule.
 */
export const servingRule = async (config: ViteConfig): Promise<MayServe> => {
  if (config.command === 'build') return () => true
  const name = 'vite'
  const vite = (await import(/* @vite-ignore */ name)) as ViteRule
  const { isFileLoadingAllowed, isFileServingAllowed } = vite
  if (isFileLoadingAllowed !== undefined) return (file) => isFileLoadingAllowed(config, file)
  if (isFileServingAllowed !== undefined)
    return (file) => isFileServingAllowed(config, `/@fs/${file.replace(/^\//, '')}`)
  throw new Error(
    'This version of Vite has no rule for the files that it may serve: the plug-in needs Vite 6 or newer.',
  )
}
