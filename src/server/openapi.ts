import { FAILURES } from '../core/failure.ts'
import { CONTENT_TYPES, REQUESTABLE_FORMATS } from '../core/image.ts'
import { INFORMATION_FIELDS } from '../core/information.ts'
import { OPTIONS_TABLE } from '../options/table.ts'
import { EXPOSED_HEADERS } from './headers.ts'

/** Descriptions of the response headers. A test checks that none is missing. */
const HEADER_MEANINGS: Readonly<Record<(typeof EXPOSED_HEADERS)[number], string>> = {
  'Content-Length': 'Bytes of the image.',
  Warning: '`299 - "text"`, one per warning: corrected options, or a fallback.',
  Location: 'On 303: address of the image for GET.',
  'Server-Timing': 'Milliseconds by stage: fetch, queue, decode, resize, search …',
  'X-Source-Bytes': 'Bytes of the source.',
  'X-Score': 'SSIMULACRA 2.1 score of the result; absent if nothing was compared.',
  'X-Butteraugli': "Butteraugli's 3-norm of the result; absent if it was not computed.",
  'X-Encodes': 'Number of full encodes in the search.',
  'X-Quota-Remaining': 'Images left in the quota; absent for an account without a quota.',
  'Content-Disposition': 'File name of the source with the extension of the result.',
  'X-Loop-Count': 'Number of plays of an animation; 0 means endless.',
  'X-Focus': 'Centre of the window of crop=auto, as fractions of the source.',
  'X-Request-Id': 'Id of the request in the log of the service.',
  ETag: 'Identifies the content of the image.',
  'Accept-Ranges': 'GET supports ranges of bytes.',
  'Content-Range': 'On 206: the range of bytes in the response.',
  'Retry-After': 'Seconds until the next attempt.',
}

type Json = string | number | boolean | readonly Json[] | { readonly [key: string]: Json }

const text = (description: string): Json => ({ description, schema: { type: 'string' } })

const HEADERS: Json = Object.fromEntries(
  Object.entries(HEADER_MEANINGS).map(([name, meaning]) => [name, text(meaning)]),
)

const headersOf = (...names: readonly (keyof typeof HEADER_MEANINGS)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Returns the codes of the failures with one status. */
const codesOf = (status: number): readonly string[] =>
  Object.entries(FAILURES).flatMap(([code, row]) => (row.status === status ? [code] : []))

const STATUSES: readonly number[] = [...new Set(Object.values(FAILURES).map(({ status }): number => status))].toSorted(
  (one, other) => one - other,
)

const ERROR_CONTENT: Json = {
  'text/plain': { schema: { type: 'string', description: 'The mistake and the remedy.' } },
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
  description: 'The optimised image.',
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
  description: 'The image will be at Location, since the work takes longer than clients wait.',
  headers: headersOf('Location', 'Warning', 'X-Request-Id'),
}

const optionsDescription = (): string =>
  [
    'Items separated by commas, in any order:',
    ...OPTIONS_TABLE.map(({ name, form, help }) => `- **${name}** (${form}): ${help}`),
    '- **sig** (`sig=<signature>`): for live delivery only, HMAC-SHA256 of `username/options/image_url` with a key of the account, in base64url.',
    '- **exp** (`exp=<seconds since 1970>`): for live delivery only, the end of the signature, which also covers this item.',
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
const NOT_MODIFIED: Json = { 304: { description: 'The copy of the client is still valid.' } }

const INFORMATION: Json = {
  description: 'The description of the image.',
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
    summary: 'Deliver an image live, if the account lists its host or the address is signed',
    parameters: [parameter('username'), parameter('options'), parameter('image')],
    responses: { 200: IMAGE, 303: REDIRECT, ...(NOT_MODIFIED as object), ...READ_REFUSALS },
  },
  delete: {
    operationId: 'purgeSource',
    summary: 'Remove every stored result of a source, with a signing key of the account',
    parameters: [parameter('username'), parameter('options'), parameter('image')],
    security: [{ signingKey: [] }],
    responses: {
      200: { description: 'The number of removed results.', content: { 'text/plain': { schema: { type: 'string' } } } },
      ...failures(400, 403, 404, 405, 429, 503),
    },
  },
} as const

const ACCOUNT: Json = {
  type: 'object',
  required: ['maxTimeout', 'meta', 'presets'],
  properties: {
    maxTimeout: { type: 'number', description: 'Largest accepted timeout= in seconds.' },
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
      summary: 'The same by GET, permitted like live delivery; a signature follows info, as in info,sig=...',
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
      summary: 'Optimise an uploaded image',
      parameters: [parameter('username'), parameter('options')],
      requestBody: IMAGE_BODY,
      responses: optimised,
    },
  },
  '/-/results/{token}': {
    get: {
      operationId: 'getResult',
      summary: 'The image of a 303; waits for running work',
      parameters: [
        { name: 'token', in: 'path', required: true, schema: { type: 'string', pattern: '^[0-9a-f]{32}$' } },
      ],
      responses: {
        200: IMAGE,
        206: { ...IMAGE, description: 'The part of the image that `Range` requests.' },
        303: REDIRECT,
        ...(NOT_MODIFIED as object),
        ...failures(...STATUSES.filter((status) => status !== 405)),
      },
    },
  },
  '/-/account/{username}': {
    get: {
      operationId: 'getAccount',
      summary: 'The presets, the default of meta and the largest timeout of an account',
      parameters: [parameter('username')],
      responses: {
        200: {
          description: 'For clients that may use the account by POST.',
          content: { 'application/json': { schema: ACCOUNT } },
        },
        ...failures(401, 403, 429, 503),
      },
    },
  },
  '/-/live': {
    get: { operationId: 'isLive', summary: 'Whether the process responds', responses: plainAnswer('It responds.') },
  },
  '/-/ready': {
    get: {
      operationId: 'isReady',
      summary: 'Whether the service accepts new work',
      responses: {
        ...(plainAnswer('It does.') as object),
        503: { description: 'It is shutting down, or a store does not respond.' },
      },
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

/** Returns the interface as OpenAPI 3.1, from the tables of options, failures and headers. `base`: the service's address. */
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
          error: { type: 'string', description: 'The mistake and the remedy.' },
          code: { type: 'string', const: 'IM2ACCOUNT', description: 'For errors of the account.' },
        },
      },
    },
  },
})
