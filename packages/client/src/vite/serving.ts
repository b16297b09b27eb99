/** Which files a development server may show: Vite's own rule (`server.fs` of its configuration). */
import type { ViteConfig } from './types.ts'

export type MayServe = (file: string) => boolean

/** The two forms of Vite's rule: by path since 7, by address before. */
interface ViteRule {
  readonly isFileLoadingAllowed?: (config: ViteConfig, file: string) => boolean
  readonly isFileServingAllowed?: (config: ViteConfig, url: string) => boolean
}

/**
 * The rule of the running Vite. A build reads whatever its own code imports. A development server answers any client of
 * its port, so it only shows files that `server.fs` allows. Fails where this Vite has no such rule.
 */
export const servingRule = async (config: ViteConfig): Promise<MayServe> => {
  if (config.command === 'build') return () => true
  const name = 'vite'
  const vite = (await import(/* @vite-ignore */ name)) as ViteRule
  const { isFileLoadingAllowed, isFileServingAllowed } = vite
  if (isFileLoadingAllowed !== undefined) return (file) => isFileLoadingAllowed(config, file)
  if (isFileServingAllowed !== undefined)
    return (file) => isFileServingAllowed(config, `/@fs/${file.replace(/^\//, '')}`)
  throw new Error('This version of Vite does not say which files it may serve: the plug-in needs Vite 6 or newer.')
}
