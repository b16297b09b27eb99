/**
 * Every failure of a request (§6). Code throws a failure by its name, and one place renders it. The sentence names the problem and what
 * to do. A test compares `docs/errors.md` with this table.
 */
interface Row<Args extends readonly unknown[]> {
  readonly status: number
  /** One to three plain sentences, printable ASCII once rendered. */
  readonly say: (...args: Args) => string
  /** Account errors have the code that clients check (§6). */
  readonly code?: 'IM2ACCOUNT'
  /** Seconds for Retry-After. */
  readonly retryAfter?: number
}

const row = <Args extends readonly unknown[]>(
  status: number,
  say: (...args: Args) => string,
  more: Omit<Row<Args>, 'status' | 'say'> = {},
): Row<Args> => ({ status, say, ...more })

const account = { code: 'IM2ACCOUNT' } as const
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e5) / 10} MB`
/** `GET, HEAD or POST` */
const orList = (words: readonly string[]): string => words.join(', ').replace(/, (?=[^,]*$)/, ' or ')
const minutes = (ms: number): string => `${Math.round(ms / 6e3) / 10} minutes`

export const FAILURES = {
  // 400 address and options
  OPTIONS_WRONG: row(400, (problems: readonly string[]) => problems.join(' ')),
  OPTIONS_MISSING: row(
    400,
    () =>
      'The options are missing. Use /username/options/image_url, for example /demo/full/https://example.com/image.png.',
  ),
  IMAGE_URL_MISSING: row(
    400,
    () =>
      'The image address is missing. Append it after the options, as in /username/full/https://example.com/image.png, or upload the image as multipart/form-data in the field "file".',
  ),
  IMAGE_URL_IN_OPTIONS: row(
    400,
    () =>
      'The image address stands where the options are expected. Put the options before it, as in /username/full/https://example.com/image.png.',
  ),
  IMAGE_URL_BROKEN: row(
    400,
    (url: string) =>
      `The image address "${url}" cannot be read. Give a complete http or https address; URL-encode spaces and special characters in it.`,
  ),
  UPLOAD_BROKEN: row(
    400,
    (why: string) =>
      `The upload cannot be read: ${why}. Send multipart/form-data with the image in the field "file", or the image itself with Content-Type: application/octet-stream.`,
  ),
  UPLOAD_EMPTY: row(
    400,
    () =>
      'The upload holds no image. Send it in the multipart field "file", or give an image address after the options.',
  ),
  VIDEO_OF_STILL: row(
    400,
    (format: string) =>
      `format=${format} needs an animated GIF, and this image does not move. Leave the format out, or use png, jpeg, webp or avif.`,
  ),
  REQUEST_MALFORMED: row(400, () => 'This is not a well-formed HTTP request.'),
  // 402, 403 accounts
  QUOTA_USED_UP: row(
    402,
    (username: string) =>
      `The quota of account "${username}" is used up. Ask the operator of this service to raise it, or wait until the next period begins.`,
    account,
  ),
  TRIAL_USED_UP: row(
    402,
    (username: string) =>
      `The trial of account "${username}" is used up. Ask the operator of this service for a full account.`,
    account,
  ),
  USERNAME_MISSING: row(
    403,
    () =>
      'The username is missing: there is a superfluous slash before it, or nothing at all. Use /username/options/image_url.',
    account,
  ),
  USERNAME_UNKNOWN: row(
    403,
    (username: string) =>
      `There is no account "${username}". Usernames are case-sensitive; check the first part of the address.`,
    account,
  ),
  ACCOUNT_SUSPENDED: row(
    403,
    (username: string) => `The account "${username}" is suspended. Ask the operator of this service.`,
    account,
  ),
  ACCESS_KEY_MISSING: row(
    401,
    (username: string) =>
      `The account "${username}" needs a key. Send it along: "Authorization: Bearer <key>", or Basic with the username and the key as password.`,
    account,
  ),
  ACCESS_KEY_WRONG: row(
    401,
    (username: string) =>
      `This is no key of the account "${username}". Ask the operator of this service for a new one (whittle accounts key).`,
    account,
  ),
  ADDRESS_REFUSED: row(
    403,
    (address: string) =>
      `This account is not open to the address ${address}. Ask the operator of this service to add it (whittle accounts set <username> --allow-addresses).`,
    account,
  ),
  FORMAT_REFUSED: row(
    403,
    (format: string, allowed: string) => `This account does not allow format=${format}. It allows ${allowed}.`,
  ),
  SIZE_REFUSED: row(
    403,
    (size: string, allowed: string) => `This account does not allow the size ${size}. It allows ${allowed}.`,
  ),
  DEMO_REFUSED: row(
    403,
    () =>
      'The account "demo" works only on the machine that the service runs on. Create an account with: whittle accounts add <username>',
    account,
  ),
  ORIGIN_FORBIDS: row(
    403,
    (status: number) =>
      `The server of the image refused access to it (status ${status}). Make the image public, put user:password@ into its address, or upload it.`,
  ),
  /** `lacks`: the missing right (§8.1). */
  DELIVERY_REFUSED: row(
    403,
    (lacks: string) =>
      `This image is not delivered: ${lacks}. The operator of the service can list its host (whittle accounts set <username> --deliver <host>) or sign the address (whittle accounts sign).`,
  ),
  DELIVERY_REDIRECTED: row(
    403,
    (host: string) =>
      `This image is not delivered: its server redirects to ${host}, which is not on the list of this account. Give the address that it redirects to, and list its host.`,
  ),
  PURGE_REFUSED: row(
    403,
    () =>
      'The signing key of the account is missing or wrong. Send it along: "Authorization: Bearer <key>", as whittle accounts keys prints it.',
  ),
  // 404, 405, 408
  SOURCE_NOT_FOUND: row(
    404,
    (status: number) => `The image could not be found: its server answered ${status}. Check the image address.`,
  ),
  /** One text for unknown names and for names of private addresses, so that clients cannot distinguish them (§6). */
  SOURCE_UNREACHABLE: row(
    404,
    () =>
      'The image could not be found: no public address is known for its host name. Either DNS does not know the name, or the name leads to a private address, which is refused. Check the image address, or upload the image.',
  ),
  /** A literal private address, which the client already knows. */
  SOURCE_PRIVATE: row(
    404,
    (host: string) =>
      `The image is not fetched: ${host} is a private address, and those are refused. Upload the image, or ask the operator of the service to list its range in ALLOW_PRIVATE_SOURCES.`,
  ),
  URL_NOT_ABSOLUTE: row(
    404,
    (url: string) =>
      `The image address "${url}" is not absolute. Give the complete address, starting with http:// or https://.`,
  ),
  URL_SCHEME: row(
    404,
    (scheme: string) =>
      `The image address starts with "${scheme}:", and images are fetched over http and https alone. Give an address that starts with http:// or https://, or upload the image.`,
  ),
  URL_NOT_ENCODED: row(
    404,
    () => 'The address holds a raw space or a non-ASCII character. URL-encode the file name: a space is %20.',
  ),
  NO_SUCH_PAGE: row(
    404,
    () => 'There is nothing at this address. Images are optimised at POST /username/options/image_url.',
  ),
  RESULT_GONE: row(404, () => 'This result is not, or no longer, stored. Ask for the optimisation again.'),
  METHOD_NOT_ALLOWED: row(
    405,
    (...allowed: string[]) => `This address does not answer this method. Use ${orList(allowed)}.`,
  ),
  RANGE_OUTSIDE: row(416, (bytes: number) => `The range begins behind the end of the image, which has ${bytes} bytes.`),
  UPLOAD_TOO_SLOW: row(408, () => 'The upload was too slow or stopped half-way. Send it again.'),
  // 413, 415, 422
  SOURCE_TOO_HEAVY: row(
    413,
    (limit: number) => `The source is larger than ${megabytes(limit)}, which is the most that is accepted.`,
  ),
  SOURCE_TOO_LARGE: row(
    413,
    (width: number, height: number, side: number, pixels: number) =>
      `The source is ${width}x${height} px; at most ${side} px a side and ${Math.round(pixels / 1e6)} megapixels are accepted.`,
  ),
  SOURCE_TOO_MANY_FRAMES: row(
    413,
    (frames: number, pixels: number) =>
      `The source has ${frames} frames of together more than ${Math.round(pixels / 1e6)} megapixels, which is the most that is accepted.`,
  ),
  SOURCE_FRAMES: row(
    413,
    (frames: number, most: number) =>
      `The animation has ${frames} frames, and at most ${most} are accepted. Shorten it, or ask for its first frame with format=png or format=jpeg.`,
  ),
  SOURCE_TOO_LONG: row(
    413,
    (ms: number, most: number, format: string) =>
      `The animation plays for ${minutes(ms)}, and at most ${minutes(most)} are made into ${format}. Shorten it, or leave the format out.`,
  ),
  NOT_AN_IMAGE: row(
    415,
    (found: string) =>
      `The source is not an image: it looks like ${found}. Check the file, or that the address leads to the image itself.`,
  ),
  FORMAT_UNSUPPORTED: row(
    415,
    (found: string) =>
      `The source is ${found}, which is not supported. Use JPEG, PNG, GIF, SVG, WebP, AVIF, HEIC, JPEG XL, TIFF, BMP, ICO or PSD.`,
  ),
  SOURCE_DAMAGED: row(422, () => 'The image is so damaged that nothing can be decoded. Check the file.'),
  IMAGE_TOO_COMPLEX: row(
    422,
    (limit: number) =>
      `The image is too complex: working on it takes more than ${megabytes(limit)} of memory. Send a smaller or simpler one.`,
  ),
  SVG_TOO_COMPLEX: row(422, (why: string) => `The SVG cannot be drawn: ${why}. Simplify it.`),
  // 429, 5xx
  TOO_MANY_REQUESTS: row(
    429,
    (perMinute: number) => `This account sends more than ${perMinute} requests a minute. Slow down, then try again.`,
    { retryAfter: 60 },
  ),
  TOO_MANY_AT_ONCE: row(
    429,
    () => 'This account has too many images in hand at once. Wait for answers, then send more.',
    { retryAfter: 5 },
  ),
  /** Anyone can make up unsigned addresses, so their new results are limited. */
  TOO_MANY_NEW: row(
    429,
    (perMinute: number) =>
      `This account delivers more than ${perMinute} new results a minute by addresses that are not signed. What is stored is still delivered; try again in a minute, or sign addresses.`,
    { retryAfter: 60 },
  ),
  TOO_MANY_GUESSES: row(
    429,
    () => 'Too many unknown usernames were sent from this address. Check the username, wait a minute, then try again.',
    { retryAfter: 60 },
  ),
  SERVER_FAULT: row(
    500,
    (id: string) =>
      `Something went wrong in the service. The fault is logged with the id ${id}; trying again may help.`,
  ),
  PROGRAM_MISSING: row(
    501,
    (what: string, program: string) =>
      `${what} needs ${program}, which this server does not have. Leave the format out, or ask the operator of the service to install ffmpeg (as with: apt-get install ffmpeg) or to set FFMPEG_PATH.`,
  ),
  PACKAGE_MISSING: row(
    501,
    (what: string, name: string) =>
      `${what} needs the package ${name}, which this server does not have. Convert the image to JPEG or PNG first, or ask the operator of the service to install it (npm install ${name}).`,
  ),
  FETCH_LOOP: row(
    508,
    () =>
      'This request comes from a service like this one, which fetches its source here. Give the address of the original image.',
  ),
  ORIGIN_FAILED: row(
    502,
    (why: string) => `The server of the image failed: ${why}. Try again later, or upload the image.`,
  ),
  /** `seconds`: the measured time until a retry may succeed, for Retry-After. */
  OVERLOADED: row(503, (_seconds: number) => 'The service is overloaded. Try again in a moment.', { retryAfter: 5 }),
  /** The disk is full or file descriptors are exhausted. The log has the reason. */
  NO_ROOM: row(503, () => 'The service has no room for more work at the moment. Try again later.', { retryAfter: 30 }),
  /** Child processes died without fault of the image. */
  WORKERS_LOST: row(503, () => 'The processes that work on images were ended from outside. Try again in a moment.', {
    retryAfter: 5,
  }),
  SHUTTING_DOWN: row(503, () => 'The service is shutting down or restarting. Try again in a moment.', {
    retryAfter: 5,
  }),
  STORE_AWAY: row(503, () => 'A database or store of the service does not answer. Try again in a moment.', {
    retryAfter: 5,
  }),
  ORIGIN_TOO_SLOW: row(
    504,
    () => 'The server of the image did not answer in time. Try again later, or upload the image.',
  ),
  /** There was no result in time, and the source cannot replace it. */
  WORK_TOO_SLOW: row(
    504,
    /** `limit`: ms that a comparison may take. Requests have an option for it. */
    (limit?: number) =>
      limit !== undefined
        ? `The comparison did not end within its limit of ${limit} ms. Compare smaller images.`
        : 'The image could not be processed in the time allowed. Send a smaller or simpler image, or raise timeout= where it is below its limit.',
  ),
} as const

export type FailureCode = keyof typeof FAILURES
type FailureArgs<Code extends FailureCode> = Parameters<(typeof FAILURES)[Code]['say']>

/** A failure as plain data, for sending from a child process to its parent. */
export interface FailureData {
  readonly code: FailureCode
  readonly args: readonly unknown[]
}

/** A failed request: a row of {@link FAILURES}. `message` is the complete text for the client. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly args: readonly unknown[]
  constructor(data: FailureData, cause?: unknown) {
    const say = FAILURES[data.code].say as (...args: readonly unknown[]) => string
    super(say(...data.args), cause === undefined ? undefined : { cause })
    this.name = 'Failure'
    this.code = data.code
    this.args = data.args
  }
  get row(): Row<readonly never[]> {
    return FAILURES[this.code] as unknown as Row<readonly never[]>
  }
  /** Seconds for Retry-After, if any. */
  get retryAfter(): number | undefined {
    const [seconds] = this.args
    return this.code === 'OVERLOADED' && typeof seconds === 'number' ? seconds : this.row.retryAfter
  }
  get status(): number {
    return this.row.status
  }
  toData(): FailureData {
    return { code: this.code, args: this.args }
  }
}

/** Creates the failure of a row: `throw fail('SOURCE_TOO_HEAVY', limit)`. */
export const fail = <Code extends FailureCode>(code: Code, ...args: FailureArgs<Code>): Failure =>
  new Failure({ code, args })

/** Whether an error means that a shared store does not answer. */
export const isStoreAway = (error: unknown): boolean => error instanceof Failure && error.code === 'STORE_AWAY'
