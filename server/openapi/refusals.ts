import { type KnownCode, type ResponseCode, statusFor, treeErrorCode } from '../error-codes.ts'
import { error, treeError } from '../schemas/model.ts'
import type { Json, Named, Operation } from './schemas.ts'

interface Refusal {
  name: string
  description: string
  header?: { name: string; description: string; type: 'string' | 'integer' }
}

const retryAfter = {
  name: 'Retry-After',
  description: 'Seconds after which to try again',
  type: 'integer',
} as const

const refusals = new Map<number, Refusal>([
  [400, { name: 'BadRequest', description: 'A parameter or field is unknown, missing or invalid' }],
  [
    401,
    {
      name: 'Unauthorized',
      description: 'The key is missing or not valid',
      header: {
        name: 'WWW-Authenticate',
        description: 'Bearer, where the header Authorization is missing or has another form',
        type: 'string',
      },
    },
  ],
  [403, { name: 'Forbidden', description: 'The caller may not do this, or the key lacks a scope' }],
  [404, { name: 'NotFound', description: 'What the request names does not exist' }],
  [
    405,
    {
      name: 'MethodNotAllowed',
      description: 'The method is not allowed here; the header Allow lists those that are',
    },
  ],
  [
    409,
    { name: 'Conflict', description: 'It has changed, its name is taken, or its state does not allow this' },
  ],
  [413, { name: 'TooLarge', description: 'The body or the requested file is too large' }],
  [
    415,
    { name: 'UnsupportedMediaType', description: 'The body has an unsupported media type, or is compressed' },
  ],
  [416, { name: 'RangeNotSatisfiable', description: 'The file has no such range' }],
  [422, { name: 'Unprocessable', description: 'The content breaks a rule; the message says which' }],
  [
    429,
    {
      name: 'TooManyRequests',
      description: 'A limit of requests or invalid keys is exceeded',
      header: retryAfter,
    },
  ],
  [500, { name: 'InternalError', description: "An internal error; the server's log has the requestId" }],
  [
    503,
    {
      name: 'Unavailable',
      description: 'The server is stopping, or the disk or database fails',
      header: retryAfter,
    },
  ],
])

export const refusalsOf = (operation: Operation): Json =>
  Object.fromEntries(
    statusesOf(operation).map((status) => [
      status,
      { $ref: `#/components/responses/${nameOf(status, isInTree(operation))}` },
    ]),
  )

/** Each refusal in two forms: of the JSON endpoints and of the tree. */
export const refusalComponents = (named: Named): Json =>
  Object.fromEntries(
    [...refusals].flatMap(([status, { description, header }]) =>
      [false, true].map((inTree) => {
        const field = inTree ? 'error' : 'code'
        // With `allOf`, since generators ignore siblings of `$ref`.
        const schema = {
          allOf: [
            named(inTree ? treeError : error),
            { properties: { [field]: { enum: [inTree ? treeErrorCode(status) : codeOf(status)] } } },
          ],
        }
        const example = exampleOf(status, description, inTree)
        return [
          nameOf(status, inTree),
          {
            description,
            ...(header && {
              headers: { [header.name]: { description: header.description, schema: { type: header.type } } },
            }),
            content: { 'application/json': { schema, example } },
          },
        ]
      }),
    ),
  )

const ofAnyRequest: readonly ResponseCode[] = [
  'bad_request',
  'too_many_requests',
  'internal_error',
  'unavailable',
]

function statusesOf(operation: Operation): number[] {
  const { method, path, accepts, refuses = [] } = operation
  const hasBody = accepts !== undefined && accepts.body !== 'none'
  const headers = accepts?.headers ?? {}
  const derived: readonly [ResponseCode, boolean][] = [
    ['unauthorized', path !== '/v1/onboard'],
    // A browser's session without its CSRF token.
    ['forbidden', method !== 'GET'],
    ['conflict', 'If-Match' in headers],
    ['too_large', hasBody],
    ['unsupported_media_type', hasBody],
    ['range_not_satisfiable', 'Range' in headers],
    // Unknown parameters and fields, or wrong types.
    ['unprocessable', isInTree(operation)],
  ]
  const codes = derived.filter(([, applies]) => applies).map(([code]) => code)
  return [...new Set([...ofAnyRequest, ...codes, ...refuses].map(statusOf))]
}

const isInTree = ({ path }: Operation): boolean => /^\/v1\/fs(?:\/|$)/.test(path)

const nameOf = (status: number, inTree: boolean): string =>
  (inTree ? 'Tree' : '') + refusals.get(status)!.name

function exampleOf(status: number, message: string, inTree: boolean): Json {
  const requestId = 'req_01jd8x3v6k0000000000000000'
  if (inTree) return { error: treeErrorCode(status), message: `${message}.`, requestId }
  return { error: `${message}.`, code: codeOf(status), requestId }
}

const otherCodes = new Map<number, ResponseCode>([
  [416, 'range_not_satisfiable'],
  [500, 'internal_error'],
])

const codeOf = (status: number): ResponseCode => {
  const known = (Object.keys(statusFor) as KnownCode[]).find((code) => statusFor[code] === status)
  return known ?? otherCodes.get(status)!
}

const statusOf = (code: ResponseCode): number =>
  [...refusals.keys()].find((status) => codeOf(status) === code)!
