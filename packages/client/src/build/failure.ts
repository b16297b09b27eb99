import { WhittleError } from '../send.ts'

/** The failure of one image. The message names the image, the cause and the remedy. */
export class OptimiseError extends Error {
  /** `service`: unreachable or busy. `image`: the service refuses this image. `settings`: every image would fail, for example with an unknown account. */
  readonly kind: 'service' | 'image' | 'settings'
  constructor(kind: OptimiseError['kind'], message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'OptimiseError'
    this.kind = kind
  }
}

/** Returns the system's error code, such as ECONNREFUSED, from the innermost cause; `fetch` wraps it. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause === undefined ? error.message : reasonOf(error.cause)
}

/** Whether the settings (options, account) are wrong, so that every image fails. */
const isSettingsError = ({ status, code }: WhittleError): boolean => status === 400 || code !== undefined

const kindOf = (error: WhittleError): OptimiseError['kind'] => {
  if (isSettingsError(error)) return 'settings'
  return error.status === 429 || error.status >= 500 ? 'service' : 'image'
}

/** Converts an error of the client to the failure of the image `name`. */
export const toOptimiseError = (name: string, base: string, error: unknown): OptimiseError => {
  if (error instanceof WhittleError)
    return new OptimiseError(
      kindOf(error),
      `${name} was not optimised: ${error.message} (${base} answered ${error.status})`,
      error,
    )
  const text = `${name} was not optimised: the Whittle service at ${base} cannot be reached (${reasonOf(error)}). Start it, correct base, or set onError: 'original' to go on with originals.`
  return new OptimiseError('service', text, error)
}
