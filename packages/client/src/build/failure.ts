import { WhittleError } from '../send.ts'

/** The failure of one image, in a sentence that says what to do. */
export class OptimiseError extends Error {
  /** `service` where it cannot be reached or is busy, `image` where it refuses this image, `settings` where no image can succeed. */
  readonly kind: 'service' | 'image' | 'settings'
  constructor(kind: OptimiseError['kind'], message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'OptimiseError'
    this.kind = kind
  }
}

/** ECONNREFUSED and its like, wherever fetch hid it. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause === undefined ? error.message : reasonOf(error.cause)
}

/** A mistake in the settings (options, account), which the next image would have too. */
const isMistake = ({ status, code }: WhittleError): boolean => status === 400 || code !== undefined

const kindOf = (error: WhittleError): OptimiseError['kind'] => {
  if (isMistake(error)) return 'settings'
  return error.status === 429 || error.status >= 500 ? 'service' : 'image'
}

/** The error of an image by its name. */
export const failureOf = (name: string, base: string, error: unknown): OptimiseError => {
  if (error instanceof WhittleError)
    return new OptimiseError(
      kindOf(error),
      `${name} was not optimised: ${error.message} (${base} answered ${error.status})`,
      error,
    )
  const text = `${name} was not optimised: the Whittle service at ${base} cannot be reached (${reasonOf(error)}). Start it, correct base, or set onError: 'original' to go on with originals.`
  return new OptimiseError('service', text, error)
}
