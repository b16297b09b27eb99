import { FAILURES } from '../core/failure.ts'
import { CONTENT_TYPES, REQUESTABLE_FORMATS } from '../core/image.ts'
import { INFORMATION_FIELDS } from '../core/information.ts'
import { OPTIONS_TABLE } from '../options/table.ts'
import { EXPOSED_HEADERS } from './headers.ts'

/** The meaning of each response header. A test checks that none is missing. */
const HEADER_MEANINGS: Readonly<Record<(typeof EXPOSED_HEADERS)[number], string>> = {
  'Content-Length': 'Bytes of the image.',
  Warning: '`299 - "text"`, one for each warning: options that were slightly wrong, or a fallback.',
  Location: 'On 303: where to GET the image.',
  'Server-Timing': 'Milliseconds by stage: fetch, queue, decode, resize, search …',
  'X-Source-Bytes': 'Bytes of the source.',
  'X-Score': 'SSIMULACRA 2.1 score reached; absent where nothing was compared.',
  'X-Butteraugli': "Butteraugli's 3-norm of the result, where it was computed.",
  'X-Encodes': 'Full encodes that the search took.',
  'X-Quota-Remaining': 'Images left to the account, when it has a quota.',
  'Content-Disposition': "The source's name with the extension of what came out.",
  'X-Loop-Count': 'Plays of an animation in all; 0 is for ever.',
  'X-Focus': 'The place that crop=auto kept in the middle, as fractions of the source.',
  'X-Request-Id': 'Names the request in the log of the service.',
  ETag: 'Names the content of the image.',
  'Accept-Ranges': 'A part of the image can be asked for, by GET.',
  'Content-Range': 'On 206: which part of the image this is.',
  'Retry-After': 'Seconds after which to try again.',
}

type Json = string | number | boolean | readonly Json[] | { readonly [key: string]: Json }

const text = (description: string): Json => ({ description, schema: { type: 'string' } })

const HEADERS: Json = Object.fromEntries(
  Object.entries(HEADER_MEANINGS).map(([name, meaning]) => [name, text(meaning)]),
)

const headersOf = (...names: readonly (keyof typeof HEADER_MEANINGS)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Codes of the failures of one status. */
const codesOf = (status: number): readonly string[] =>
  Object.entries(FAILURES).flatMap(([code, row]) => (row.status === status ? [code] : []))

const STATUSES: readonly number[] = [...new Set(Object.values(FAILURES).map(({ status }): number => status))].toSorted(
  (one, other) => one - other,
)

const ERROR_CONTENT: Json = {
  'text/plain': { schema: { type: 'string', description: 'What is wrong, and what to do.' } },
  'application/im2+json': { schema: { $ref: '#/components/schemas/Error' } },
}

const failureResponse = (status: number): Json => ({
  description: `Refused: ${codesOf(status).join(', ')}.`,
  ...(status === 429 || status === 503
    ? { headers: headersOf('Retry-After', 'X-Request-Id') }
    : { headers: headersOf('X-Request-Id') }),
  content: ERROR_CONTENT,
})

const RESPONSES: Json = Object.fromEntries(STATUSES.map((status) => [`Status${status}`, failureResponse(status)]))

const failures = (...statuses: readonly number[]): Readonly<Record<string, Json>> =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Status${status}` }]))

const IMAGE: Json = {
  description: 'The optimised image, and nothing else.',
  headers: headersOf(
    ...EXPOSED_HEADERS.filter((name) => !['Location', 'Retry-After', 'Content-Length'].includes(name)),
  ),
  content: Object.fromEntries(
    [...new Set([...REQUESTABLE_FORMATS, 'svg' as const].map((format) => CONTENT_TYPES[format]))].map((type) => [
      type,
      {},
    ]),
  ),
}

const REDIRECT: Json = {
  description: 'The image is at Location: the work would outlast what clients wait for.',
  headers: headersOf('Location', 'Warning', 'X-Request-Id'),
}

const optionsDescription = (): string =>
  [
    'Items separated by commas, in any order:',
    ...OPTIONS_TABLE.map(({ name, form, help }) => `- **${name}** (${form}): ${help}`),
    '- **sig** (`sig=<signature>`): for live delivery alone, HMAC-SHA256 of `username/options/image_url` with a key of the account, in base64url.',
    '- **exp** (`exp=<seconds since 1970>`): for live delivery alone, when the signature ends; it is part of what is signed.',
  ].join('\n')

const PARAMETERS: Json = {
  username: {
    name: 'username',
    in: 'path',
    required: true,
    description: 'The account; case-sensitive.',
    schema: { type: 'string' },
  },
  options: {
    name: 'options',
    in: 'path',
    required: true,
    description: optionsDescription(),
    schema: { type: 'string' },
    examples: Object.fromEntries(
      OPTIONS_TABLE.flatMap(({ samples }) => samples.slice(0, 1)).map((sample) => [sample, { value: sample }]),
    ),
  },
  image: {
    name: 'image_url',
    in: 'path',
    required: true,
    description: 'Absolute address of the image, raw or wholly percent-encoded.',
    schema: { type: 'string', format: 'uri' },
  },
}

const parameter = (name: string): Json => ({ $ref: `#/components/parameters/${name}` })

const optimised: Json = { 200: IMAGE, 303: REDIRECT, ...failures(...STATUSES.filter((status) => status !== 405)) }

const BYTES: Json = { schema: { type: 'string', contentMediaType: 'application/octet-stream' } }

const plainAnswer = (description: string): Json => ({
  200: { description, content: { 'text/plain': { schema: { type: 'string' } } } },
})

/** The response to a conditional GET. */
const NOT_MODIFIED: Json = { 304: { description: 'What the client has is still right.' } }

const INFORMATION: Json = {
  description: 'What the image is.',
  headers: headersOf('ETag', 'X-Quota-Remaining', 'X-Request-Id'),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Information' } } },
}

const IMAGE_BODY: Json = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
      },
    },
    'application/octet-stream': BYTES,
    'image/*': BYTES,
  },
}

const REFUSALS = failures(...STATUSES.filter((status) => status !== 405))
const READ_REFUSALS = failures(...STATUSES)
const informed: Json = { 200: INFORMATION, 303: REDIRECT, ...REFUSALS }

/** Live delivery (§8), at the same address as POST. */
const DELIVERY = {
  get: {
    operationId: 'deliverImage',
    summary: 'Deliver an image live, where the account was given that: a listed host, or a signed address',
    parameters: [parameter('username'), parameter('options'), parameter('image')],
    responses: { 200: IMAGE, 303: REDIRECT, ...(NOT_MODIFIED as object), ...READ_REFUSALS },
  },
  delete: {
    operationId: 'purgeSource',
    summary: 'Remove every stored result of a source, with a signing key of the account',
    parameters: [parameter('username'), parameter('options'), parameter('image')],
    security: [{ signingKey: [] }],
    responses: {
      200: { description: 'How many there were.', content: { 'text/plain': { schema: { type: 'string' } } } },
      ...failures(400, 403, 404, 405, 429, 503),
    },
  },
} as const

const ACCOUNT: Json = {
  type: 'object',
  required: ['maxTimeout', 'meta', 'presets'],
  properties: {
    maxTimeout: { type: 'number', description: 'Most seconds of timeout=.' },
    meta: { type: 'string', enum: ['none', 'copyright'] },
    presets: { type: 'object', additionalProperties: { type: 'string' }, description: 'Option lists by name.' },
  },
}

const PATHS: Json = {
  '/{username}/info/{image_url}': {
    post: {
      operationId: 'describeAddress',
      summary: 'Fetch an image and describe it',
      parameters: [parameter('username'), parameter('image')],
      responses: informed,
    },
    get: {
      operationId: 'deliverInformation',
      summary: 'The same by GET, permitted like live delivery; a signature stands behind info, as in info,sig=...',
      parameters: [parameter('username'), parameter('image')],
      responses: { 200: INFORMATION, 303: REDIRECT, ...(NOT_MODIFIED as object), ...READ_REFUSALS },
    },
  },
  '/{username}/info': {
    post: {
      operationId: 'describeUpload',
      summary: 'Describe an uploaded image',
      parameters: [parameter('username')],
      requestBody: IMAGE_BODY,
      responses: informed,
    },
  },
  '/{username}/{options}/{image_url}': {
    post: {
      operationId: 'optimiseAddress',
      summary: 'Fetch an image, and optimise it',
      parameters: [parameter('username'), parameter('options'), parameter('image')],
      responses: optimised,
    },
    ...DELIVERY,
  },
  '/{username}/{options}': {
    post: {
      operationId: 'optimiseUpload',
      summary: 'Optimise an image that is sent along',
      parameters: [parameter('username'), parameter('options')],
      requestBody: IMAGE_BODY,
      responses: optimised,
    },
  },
  '/-/results/{token}': {
    get: {
      operationId: 'getResult',
      summary: 'The image of a 303; waits for work under way',
      parameters: [
        { name: 'token', in: 'path', required: true, schema: { type: 'string', pattern: '^[0-9a-f]{32}$' } },
      ],
      responses: {
        200: IMAGE,
        206: { ...IMAGE, description: 'The part of the image that `Range` asked for.' },
        303: REDIRECT,
        ...(NOT_MODIFIED as object),
        ...failures(...STATUSES.filter((status) => status !== 405)),
      },
    },
  },
  '/-/account/{username}': {
    get: {
      operationId: 'getAccount',
      summary: 'How option lists of an account are read: its presets, its default of meta and its longest timeout',
      parameters: [parameter('username')],
      responses: {
        200: {
          description: 'To whom the account allows POST.',
          content: { 'application/json': { schema: ACCOUNT } },
        },
        ...failures(401, 403, 429, 503),
      },
    },
  },
  '/-/live': {
    get: { operationId: 'isLive', summary: 'Whether the process answers', responses: plainAnswer('It does.') },
  },
  '/-/ready': {
    get: {
      operationId: 'isReady',
      summary: 'Whether new work is taken',
      responses: { ...(plainAnswer('It is.') as object), 503: { description: 'Shutting down, or a store is away.' } },
    },
  },
  '/-/metrics': {
    get: {
      operationId: 'getMetrics',
      summary: "Metrics in Prometheus' text format",
      responses: plainAnswer('The metrics.'),
    },
  },
  '/-/openapi.json': {
    get: {
      operationId: 'getDescription',
      summary: 'This description',
      responses: {
        200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
      },
    },
  },
}

/** The interface as OpenAPI 3.1, generated from the tables of options, failures and headers. `base`: the service's address. */
export const openApiDocument = ({ base, version }: { readonly base: string; readonly version: string }): Json => ({
  openapi: '3.1.1',
  info: {
    title: 'Whittle',
    version,
    summary: 'Makes images as small as they can be at a guaranteed perceived quality',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: base }],
  paths: PATHS,
  components: {
    headers: HEADERS,
    parameters: PARAMETERS,
    responses: RESPONSES,
    securitySchemes: { signingKey: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Information: {
        type: 'object',
        required: Object.entries(INFORMATION_FIELDS).flatMap(([name, field]) => (field.optional ? [] : [name])),
        properties: Object.fromEntries(
          Object.entries(INFORMATION_FIELDS).map(([name, { meaning, schema }]) => [
            name,
            { ...schema, description: meaning },
          ]),
        ),
      },
      Error: {
        type: 'object',
        required: ['status', 'error'],
        properties: {
          status: { type: 'integer', enum: STATUSES },
          error: { type: 'string', description: 'What is wrong, and what to do.' },
          code: { type: 'string', const: 'IM2ACCOUNT', description: 'For what is wrong with the account.' },
        },
      },
    },
  },
})
