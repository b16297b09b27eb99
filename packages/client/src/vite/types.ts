/** Types of Vite that the plug-in uses, so that the client compiles without Vite. A test compares them with Vite's own types. */

/** Of the resolved configuration. */
export interface ViteConfig {
  readonly command: 'build' | 'serve'
  readonly root: string
  readonly base: string
  readonly logger: { readonly info: (text: string) => void; readonly warn: (text: string) => void }
}

/** Of the context in which modules are loaded. */
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

export interface BundleAsset extends BundleFile {
  source: string | Uint8Array
}

/** Of Node's request and response, as Connect hands them on. */
export interface DevRequest {
  readonly url?: string | undefined
}

export interface DevResponse {
  readonly setHeader: (name: string, value: string) => unknown
  readonly end: (bytes: Uint8Array) => unknown
}

export interface DevServer {
  readonly middlewares: {
    readonly use: (
      handle: (request: DevRequest, response: DevResponse, next: (error?: unknown) => void) => void,
    ) => unknown
  }
}
