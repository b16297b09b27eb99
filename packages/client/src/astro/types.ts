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
  // On a development server `null` and texts come from the address of an image.
  quality?: string | number | null | undefined
  format?: string | undefined
  fit?: string | null | undefined
  position?: string | undefined
  background?: string | undefined
}

/** The part of Astro's configuration that the services use. */
export interface ImageConfig<Settings> {
  readonly service: { readonly config: Settings }
}

/** Astro's log. */
export interface ImageLog {
  readonly warn: (text: string) => void
  readonly error: (text: string) => void
}

/** The entry of a service in the configuration. */
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

/** One image of a `srcset`. */
export interface SourceCandidate<Options> {
  transform: Options
  descriptor?: string
  attributes?: Record<string, unknown>
}

/** A service that returns addresses. `Options` is Astro's own type of the attributes. */
export interface AddressService<Settings> {
  readonly validateOptions: <Options extends ImageTransform>(
    options: Options,
    config: ImageConfig<Settings>,
    log: ImageLog,
  ) => Options | Promise<Options>
  readonly getHTMLAttributes: Hook<Settings, Record<string, unknown>>
  readonly getSrcSet: <Options extends ImageTransform>(
    options: Options,
    config: ImageConfig<Settings>,
    log: ImageLog,
  ) => SourceCandidate<Options>[] | Promise<SourceCandidate<Options>[]>
  readonly getURL: Hook<Settings, string>
}

/** The attributes that an address of the development server contains. */
export type ParsedTransform = ImageTransform & { src: string }

/** A service that also creates images. */
export interface LocalService<Settings> extends AddressService<Settings> {
  readonly parseURL: (
    url: URL,
    config: ImageConfig<Settings>,
    log: ImageLog,
  ) => ParsedTransform | undefined | Promise<ParsedTransform> | Promise<undefined>
  readonly transform: (
    input: Uint8Array,
    transform: ParsedTransform,
    config: ImageConfig<Settings>,
    log?: ImageLog,
  ) => Promise<{ data: Uint8Array; format: string }>
  readonly propertiesToHash: string[]
}
