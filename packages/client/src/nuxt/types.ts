/** Types of Nuxt Image that the providers use, so that the client compiles without Nuxt. A test compares them with Nuxt's own types. */
import type { DeliverySource } from '../delivered.ts'

/** Attributes and `modifiers` of `<NuxtImg>`. */
export interface NuxtModifiers {
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly fit?: string | undefined
  readonly format?: string | undefined
  readonly quality?: string | number | undefined
  readonly background?: string | undefined
  /** Not part of Nuxt Image: `auto`, an edge, or a point such as `0.5x0.3`. */
  readonly crop?: string | undefined
}

/** Options of a provider in `nuxt.config`. They reach the browser, so they contain no key. */
export interface NuxtSettings extends DeliverySource {
  /** Name of the environment variable with the signing key; `WHITTLE_KEY` by default. Only the signed provider reads it. */
  readonly keyVariable?: string
}

/** The default export of a provider's module. */
export type NuxtProvider = () => {
  readonly getImage: (
    src: string,
    options: { readonly modifiers?: NuxtModifiers } & Partial<NuxtSettings>,
  ) => { readonly url: string }
}
