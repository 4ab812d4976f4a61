import type { ValidateFunction } from 'ajv'
import { loadBuiltValidators } from './built-validators.ts'
import type { HttpResponse } from './http-client.ts'
import {
  type DescribedResponses,
  type Response,
  type Responses,
  validatorName,
} from './response-description.ts'

/** As `responseValidatorsModule` exports it. */
interface BuiltValidators {
  described: DescribedResponses
  validators: Record<string, ValidateFunction>
}

interface Described {
  responsesOf(method: string, path: string): Responses | undefined
  response(found: Response | { $ref: string } | undefined): Response | undefined
  validators: Record<string, ValidateFunction>
}

let described: Described | undefined

/** Means any type: a file has the type that it was uploaded with. */
const anyType = 'application/octet-stream'

/** How a response differs from its description; null if it does not. @param target path and query */
export function describedDifference(method: string, target: string, response: HttpResponse): string | null {
  const path = target.split('?', 1)[0]!
  if (!/^\/(?:api|v1)\//.test(path)) return null
  described ??= load()
  const responses = described.responsesOf(method, path)
  if (!responses) return null
  const expected = described.response(responses[response.status])
  const what = `${method} ${path} ${response.status}`
  if (!expected && response.json === undefined) return `${what} is not described`
  const { content = {} } = expected ?? {}
  const schema = content['application/json']?.schema
  if (response.json === undefined || (!schema && anyType in content)) {
    const [type] = (response.headers['content-type'] ?? '').split(';') as [string]
    // A browser gets an error page.
    if (response.status >= 400 && type === 'text/html') return null
    const isBroken = type === 'application/json' && response.text !== ''
    const isDescribed = type === '' || (type in content && !isBroken) || anyType in content
    return isDescribed || response.status === 304 ? null : `${what} with ${type} is not described`
  }
  if (!schema) return `${what} with JSON is not described`
  const validate =
    described.validators[validatorName(schema, /[?&]fields=/.test(target) ? 'partial' : 'whole')]!
  if (validate(response.json)) return null
  const errors = validate.errors!.map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  )
  return `${what}: ${errors.join('; ')} in ${response.text.slice(0, 500)}`
}

function load(): Described {
  const { validators, described } = loadBuiltValidators() as BuiltValidators
  const { patterns, paths, responses } = described
  const routes = patterns.map(({ source, path }) => ({ pattern: new RegExp(source), path }))
  return {
    responsesOf(method, path) {
      const found = routes.find(({ pattern }) => pattern.test(path))
      return found && paths[found.path]?.[method.toLowerCase()]?.responses
    },
    response: (found) => (found && '$ref' in found ? responses[found.$ref.split('/').at(-1)!] : found),
    validators,
  }
}
