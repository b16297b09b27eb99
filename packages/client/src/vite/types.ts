/** Types of Vite that the plug-in uses, so that the client compiles without Vite. A test compares them with Vite's own types. */

/** The part of Vite's resolved configuration that the plug-in uses. */
export interface ViteConfig {
  readonly command: 'build' | 'serve'
  readonly root: string
  readonly base: string
  readonly logger: { readonly info: (text: string) => void; readonly warn: (text: string) => void }
}

/** The part of the context of `load` that the plug-in uses. */
export interface LoadContext {
  readonly addWatchFile: (file: string) => void
  readonly emitFile: (file: {
    readonly type: 'asset'
    readonly name: string
    readonly originalFileName: string
    readonly source: Uint8Array
  }) => string
}

/** One file of a build. */
export interface BundleFile {
  readonly type: 'asset' | 'chunk'
  readonly fileName: string
}

/** A file of a build that is not code. */
export interface BundleAsset extends BundleFile {
  source: string | Uint8Array
}

/** The part of Node's request that the middleware uses. */
export interface DevRequest {
  readonly url?: string | undefined
}

/** The part of Node's response that the middleware uses. */
export interface DevResponse {
  readonly setHeader: (name: string, value: string) => unknown
  readonly end: (bytes: Uint8Array) => unknown
}

/** The part of Vite's development server that the plug-in uses. */
export interface DevServer {
  readonly middlewares: {
    readonly use: (
      handle: (request: DevRequest, response: DevResponse, next: (error?: unknown) => void) => void,
    ) => unknown
  }
}
