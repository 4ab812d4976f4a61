import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import { openApiDocument } from '../../server/openapi/document.ts'
import { endpointsOfRoutes } from './app-endpoints.ts'
import { type DescribedResponses, type Extent, type Schema, validatorName } from './response-description.ts'

type Json = Record<string, unknown>

/** The code of a CommonJS module that exports `described`, a `DescribedResponses`, and `validators` by name. */
export function responseValidatorsModule(): string {
  const endpoints = endpointsOfRoutes()
  const { paths, components } = openApiDocument(endpoints) as {
    paths: DescribedResponses['paths']
    components: { schemas: Json; responses: DescribedResponses['responses'] }
  }
  const patterns = [...new Set(endpoints.map(({ path }) => path))]
    .sort((one, other) => rank(one) - rank(other) || other.length - one.length)
    .map((path) => ({ source: patternOf(path), path: path.replace(/[:*](\w+)/g, '{$1}') }))
  const described: DescribedResponses = {
    patterns,
    paths: responsesIn(paths),
    responses: components.responses,
  }
  const validators = validatorsCode(components.schemas, schemasIn(described))
  return `${validators}\nmodule.exports = { validators: module.exports, described: ${JSON.stringify(described)} }\n`
}

const rank = (path: string): number => path.split(/[:*]/).length

/** Only paths of folders in the tree may end in a slash. */
function patternOf(path: string): string {
  const names = path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+')
  return `^${names}${path.startsWith('/v1/fs') ? '/?' : ''}$`
}

const responsesIn = (paths: DescribedResponses['paths']): DescribedResponses['paths'] =>
  mapped(paths, (methods) => mapped(methods, ({ responses }) => ({ responses })))

const mapped = <Value, Result>(record: Record<string, Value>, change: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

function schemasIn({ paths, responses }: DescribedResponses): Schema[] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const found = [
    ...operations.flatMap((operation) => Object.values(operation.responses)),
    ...Object.values(responses),
  ]
  return found
    .map((response) => ('$ref' in response ? undefined : response.content?.['application/json']?.schema))
    .filter((schema) => schema !== undefined)
}

function validatorsCode(schemas: Json, used: Schema[]): string {
  const withoutRequired = JSON.stringify(schemas, (name, value) =>
    name === 'required' && Array.isArray(value) ? undefined : value,
  )
  const ajv = new Ajv2020({ strict: false, code: { source: true } })
    .addSchema({ $id: 'whole', components: { schemas } })
    .addSchema({ $id: 'partial', components: { schemas: JSON.parse(withoutRequired) } })
  const ids: Record<string, string> = {}
  for (const schema of used) {
    for (const extent of ['whole', 'partial'] as const) {
      const name = validatorName(schema, extent)
      if (name in ids) continue
      ids[name] = `validator-${Object.keys(ids).length}`
      ajv.addSchema({ ...ofExtent(schema, extent), $id: ids[name] })
    }
  }
  return standalone.default(ajv, ids)
}

const ofExtent = (schema: Schema, extent: Extent): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', `"$ref":"${extent}#`))
