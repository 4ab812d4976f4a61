import type { ValidateFunction } from 'ajv'
import { type DescribedAnswers, type Response, type Responses, validatorName } from './answer-description.ts'
import { loadBuiltValidators } from './built-validators.ts'
import type { Answer } from './http-client.ts'

/** As `answerValidatorsModule` exports it. */
interface BuiltValidators {
  described: DescribedAnswers
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
export function describedDifference(method: string, target: string, answer: Answer): string | null {
  const path = target.split('?', 1)[0]!
  if (!/^\/(?:api|v1)\//.test(path)) return null
  described ??= load()
  const responses = described.responsesOf(method, path)
  if (!responses) return null
  const response = described.response(responses[answer.status])
  const what = `${method} ${path} ${answer.status}`
  if (!response && answer.json === undefined) return `${what} is not described`
  const { content = {} } = response ?? {}
  const schema = content['application/json']?.schema
  if (answer.json === undefined || (!schema && anyType in content)) {
    const [type] = (answer.headers['content-type'] ?? '').split(';') as [string]
    // A browser gets an error page.
    if (answer.status >= 400 && type === 'text/html') return null
    const isBroken = type === 'application/json' && answer.text !== ''
    const isDescribed = type === '' || (type in content && !isBroken) || anyType in content
    return isDescribed || answer.status === 304 ? null : `${what} with ${type} is not described`
  }
  if (!schema) return `${what} with JSON is not described`
  const validate =
    described.validators[validatorName(schema, /[?&]fields=/.test(target) ? 'partial' : 'whole')]!
  if (validate(answer.json)) return null
  const errors = validate.errors!.map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  )
  return `${what}: ${errors.join('; ')} in ${answer.text.slice(0, 500)}`
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
