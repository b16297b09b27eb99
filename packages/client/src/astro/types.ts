/** Types of Astro that the image services use, so that the client compiles without Astro. A test compares them with Astro's own types. */

/** An image that a page imports. */
export interface ImportedMetadata {
  readonly src: string
  readonly width: number
  readonly height: number
  readonly format: string
}

/** The attributes of `<Image>` and `<Picture>`. */
export interface ImageTransform {
  src: string | ImportedMetadata
  width?: number | undefined
  height?: number | undefined
  // `null` and texts come from the address of an image while a site is developed.
  quality?: string | number | null | undefined
  format?: string | undefined
  fit?: string | null | undefined
  position?: string | undefined
  background?: string | undefined
}

/** Of Astro's configuration. */
export interface ImageConfig<Settings> {
  readonly service: { readonly config: Settings }
}

export interface ImageLog {
  readonly warn: (text: string) => void
  readonly error: (text: string) => void
}

/** A service as the configuration names it. */
export interface ServiceEntry<Settings> {
  readonly entrypoint: string
  readonly config: Settings
}

/** One function of a service. */
export type Hook<Settings, Result> = (
  options: ImageTransform,
  config: ImageConfig<Settings>,
  log: ImageLog,
) => Result | Promise<Result>

/** One more image of a `srcset`. */
export interface SourceCandidate<Wanted> {
  transform: Wanted
  descriptor?: string
  attributes?: Record<string, unknown>
}

/** A service that returns addresses. `Wanted` is Astro's own type of the attributes. */
export interface AddressService<Settings> {
  readonly validateOptions: <Wanted extends ImageTransform>(
    options: Wanted,
    config: ImageConfig<Settings>,
    log: ImageLog,
  ) => Wanted | Promise<Wanted>
  readonly getHTMLAttributes: Hook<Settings, Record<string, unknown>>
  readonly getSrcSet: <Wanted extends ImageTransform>(
    options: Wanted,
    config: ImageConfig<Settings>,
    log: ImageLog,
  ) => SourceCandidate<Wanted>[] | Promise<SourceCandidate<Wanted>[]>
  readonly getURL: Hook<Settings, string>
}

/** An image as the address that a page of the development server names it by says it. */
export type AskedTransform = ImageTransform & { src: string }

/** A service that also makes images. */
export interface MakingService<Settings> extends AddressService<Settings> {
  readonly parseURL: (
    url: URL,
    config: ImageConfig<Settings>,
    log: ImageLog,
  ) => AskedTransform | undefined | Promise<AskedTransform> | Promise<undefined>
  readonly transform: (
    input: Uint8Array,
    transform: AskedTransform,
    config: ImageConfig<Settings>,
    log?: ImageLog,
  ) => Promise<{ data: Uint8Array; format: string }>
  readonly propertiesToHash: string[]
}
