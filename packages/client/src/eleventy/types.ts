/** Types of Eleventy that the plug-in uses, so that the client compiles without Eleventy. */

/** The template that uses a shortcode. */
export interface ShortcodeContext {
  readonly page?: { readonly inputPath?: string }
}

/** A node of PostHTML's tree. */
export interface HtmlNode {
  tag?: string | boolean
  attrs?: Record<string, string | undefined>
  content?: unknown[]
}

/** The tree of a page. */
export interface HtmlTree {
  readonly match: (expression: { readonly tag: string }, visit: (node: HtmlNode) => HtmlNode) => unknown
}

/** The part of Eleventy's configuration that the plug-in uses. */
export interface EleventyConfig {
  readonly directories: { readonly input: string; readonly output: string }
  readonly addAsyncShortcode: (
    name: string,
    shortcode: (this: ShortcodeContext, src: string, ...given: unknown[]) => Promise<string>,
  ) => void
  readonly htmlTransformer: {
    readonly addPosthtmlPlugin: (
      extensions: string,
      plugin: (context: ShortcodeContext) => (tree: HtmlTree) => Promise<void>,
      options?: { readonly priority?: number },
    ) => void
  }
  readonly on: (event: string, listener: () => void) => void
}
