import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { openApiDocument } from '../../server/openapi/document.ts'
import { endpointsOfRoutes } from './app-endpoints.ts'
import type { Answer } from './http-client.ts'

type Json = Record<string, unknown>
type Schema = Json & { $ref: string }
type Response = { content?: Record<string, { schema?: Schema }> }
type Responses = Record<string, Response | { $ref: string }>

interface Described {
  responsesOf(method: string, path: string): Responses | undefined
  response(found: Response | { $ref: string } | undefined): Response | undefined
  /** @param isPartial whether fields may be missing, as the request asked for some alone */
  validator(schema: Schema, isPartial: boolean): ValidateFunction
}

let described: Described | undefined

/** A file has the type that it was uploaded with. */
const anyType = 'application/octet-stream'

/**
 * How an answer of the interface differs from its description; null where it does not.
 * @param target path and query of the request
 */
export function describedDifference(method: string, target: string, answer: Answer): string | null {
  const path = target.split('?', 1)[0]!
  if (!/^\/(?:api|v1)\//.test(path)) return null
  described ??= describe()
  const responses = described.responsesOf(method, path)
  if (!responses) return null
  const response = described.response(responses[answer.status])
  const what = `${method} ${path} ${answer.status}`
  if (!response && answer.json === undefined) return `${what} is not described`
  const { content = {} } = response ?? {}
  const schema = content['application/json']?.schema
  if (answer.json === undefined || (!schema && anyType in content)) {
    const [type] = (answer.headers['content-type'] ?? '').split(';') as [string]
    // People are refused with a page.
    if (answer.status >= 400 && type === 'text/html') return null
    const isBroken = type === 'application/json' && answer.text !== ''
    const isDescribed = type === '' || (type in content && !isBroken) || anyType in content
    return isDescribed || answer.status === 304 ? null : `${what} with ${type} is not described`
  }
  if (!schema) return `${what} with JSON is not described`
  const validate = described.validator(schema, /[?&]fields=/.test(target))
  if (validate(answer.json)) return null
  const errors = validate.errors!.map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  )
  return `${what}: ${errors.join('; ')} in ${answer.text.slice(0, 500)}`
}

function describe(): Described {
  const endpoints = endpointsOfRoutes()
  const document = openApiDocument(endpoints) as {
    paths: Record<string, Record<string, { responses: Responses }>>
    components: { schemas: Json; responses: Record<string, Response> }
  }
  const { schemas } = document.components
  const withoutRequired = JSON.stringify(schemas, (name, value) =>
    name === 'required' && Array.isArray(value) ? undefined : value,
  )
  const ajv = new Ajv2020({ strict: false })
    .addSchema({ $id: 'openapi', components: { schemas } })
    .addSchema({ $id: 'partial', components: { schemas: JSON.parse(withoutRequired) } })
  const validators = new Map<string, ValidateFunction>()
  // A name takes in what follows it: paths that say more come first.
  const patterns = [...new Set(endpoints.map(({ path }) => path))]
    .sort((one, other) => rank(one) - rank(other) || other.length - one.length)
    .map((path) => ({ pattern: patternOf(path), path: path.replace(/[:*](\w+)/g, '{$1}') }))
  return {
    responsesOf(method, path) {
      const found = patterns.find(({ pattern }) => pattern.test(path))
      return found && document.paths[found.path]?.[method.toLowerCase()]?.responses
    },
    response: (found) =>
      found && '$ref' in found ? document.components.responses[found.$ref.split('/').at(-1)!] : found,
    validator(schema, isPartial) {
      const $ref = `${isPartial ? 'partial' : 'openapi'}${schema.$ref}`
      const whole = JSON.stringify({ ...schema, $ref })
      const validate = validators.get(whole) ?? ajv.compile({ ...schema, $ref })
      validators.set(whole, validate)
      return validate
    },
  }
}

const rank = (path: string): number => path.split(/[:*]/).length

/** Folders of the tree may end in a slash; elsewhere that is another path. */
const patternOf = (path: string): RegExp => {
  const names = path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+')
  return new RegExp(`^${names}${path.startsWith('/v1/fs') ? '/?' : ''}$`)
}
