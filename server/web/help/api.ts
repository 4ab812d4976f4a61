import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { newRoutes, type RouteContext, type Routes } from '../../context.ts'
import { type Html, html } from '../html.ts'
import { type Description, describe, type Schema, type ShownOperation } from './api-description.ts'

export const apiHelpPath = '/help/api'
const modelsPath = `${apiHelpPath}/models`

export type ShowHelp = (ctx: RouteContext, text: { title: string; trail: Html; content: Html }) => void

/** Documents the interface. @param document as `/openapi.json` */
export function apiHelpRoutes(document: () => object, show: ShowHelp): Routes {
  let described: Description | undefined
  const description = () => (described ??= describe(document()))
  const trail = html`<a href="${apiHelpPath}">The API</a> /`
  return newRoutes()
    .purpose('Page: the interface, by subject; needs no sign-in')
    .get(apiHelpPath, (ctx) => {
      show(ctx, { title: 'The API', trail: html``, content: contentsOf(description()) })
    })
    .purpose('Page: the models that requests and answers share')
    .get(modelsPath, (ctx) => {
      show(ctx, { title: 'Models', trail, content: modelsOf(description()) })
    })
    .purpose('Page: the requests of one subject, with what they take and answer')
    .get(`${apiHelpPath}/:subject`, (ctx) => {
      const { subjects, schemas } = description()
      const subject = subjects.find(({ slug }) => slug === ctx.params.subject)
      if (!subject) throw new WorkspaceError('not_found', 'There is no such part of the API.')
      const { name, description: about, operations } = subject
      const content = html`<p>${about}. <a href="${apiHelpPath}">All subjects</a></p>
${operations.map((operation) => operationSection(operation, schemas))}`
      show(ctx, { title: name, trail, content })
    })
}

const contentsOf = ({ subjects }: Description): Html => html`
<p>Every request, generated from what the server validates. The same is available to programs at
<a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1). Requests carry a key:
<code>Authorization: Bearer &lt;key&gt;</code>. An error says what to do instead. Shared shapes are
<a href="${modelsPath}">models</a>; <a href="/help/interface">the interface</a> explains the concepts.</p>
${subjects.map(
  ({ slug, name, description, operations }) => html`<h2 id="${slug}">${name}</h2>
<p>${description}.</p>
<ul>${operations.map(
    ({ id, method, path, summary }) =>
      html`<li><a href="${apiHelpPath}/${slug}#${id}"><code>${method} ${path}</code></a><br>${summary}</li>`,
  )}</ul>`,
)}`

const modelsOf = ({ schemas }: Description): Html => html`
<p>A field with a question mark may be absent.</p>
${Object.entries(schemas)
  .filter(([name]) => isModel(name))
  .toSorted(([one], [other]) => one.localeCompare(other))
  .map(
    ([name, schema]) => html`<section id="${name}" class="operation"><h3>${name}</h3>
<pre tabindex="0"><code>${shapeOf(schema, schemas)}</code></pre></section>`,
  )}`

type Schemas = Description['schemas']

const operationSection = (operation: ShownOperation, schemas: Schemas): Html => html`
<section id="${operation.id}" class="operation">
<h3>${operation.summary}</h3>
<p class="call"><code><b>${operation.method}</b> ${operation.path}</code></p>
<p>Called <code>${operation.id}</code> in generated clients.</p>
${parametersOf(operation, schemas)}
${Object.entries(operation.body).map(([type, { schema, example }]) => bodyOf(type, schema, example, schemas))}
${operation.responses.filter(isSuccess).map(({ status, content }) => responseOf(status, content, schemas))}
<p><a href="/help/interface#errors">Refusals</a>: ${refusalsOf(operation)}</p>
</section>`

const isSuccess = ({ status }: { status: string }) => status < '400'

function parametersOf({ parameters }: ShownOperation, schemas: Schemas): Html | null {
  const shown = parameters.filter((parameter) => parameter.in !== 'path')
  if (shown.length === 0) return null
  return html`<dl class="parameters">${shown.map(
    ({
      name,
      in: place,
      schema,
      description,
    }) => html`<div><dt><code>${place === 'query' ? `?${name}=` : `${name}:`}</code></dt>
<dd>${shapeOf(schema, schemas)}${description !== undefined && html` – ${description}`}</dd></div>`,
  )}</dl>`
}

function bodyOf(type: string, schema: Schema | undefined, example: unknown, schemas: Schemas): Html {
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return html`<p>Takes <code>${type}</code>${schema && ':'}</p>
${schema && codeOf(shapeOf(schema, schemas))}
${example !== undefined && html`<p>For example:</p>${codeOf(html`${text}`)}`}`
}

function responseOf(status: string, content: Record<string, { schema?: Schema }>, schemas: Schemas): Html {
  return html`${Object.entries(content).map(
    ([
      type,
      { schema },
    ]) => html`<p>Answers ${status}${type !== 'application/json' && html` <code>${type}</code>`}${schema && ':'}</p>
${schema && codeOf(shapeOf(schema, schemas))}`,
  )}`
}

const codeOf = (content: Html): Html => html`<pre tabindex="0"><code>${content}</code></pre>`

const refusalsOf = ({ responses }: ShownOperation): string =>
  responses
    .filter((response) => !isSuccess(response))
    .map(({ status }) => status)
    .join(', ')

/** In characters. Longer shapes have a line for each field. */
const maxLineLength = 72

/** Writes a schema as a type, with links to models. */
function shapeOf(schema: Schema, schemas: Readonly<Record<string, Schema>>, depth = 0): Html {
  const of = (one: Schema, deeper = 0) => shapeOf(one, schemas, depth + deeper)
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!
    return isModel(name) ? html`<a href="${modelsPath}#${name}">${name}</a>` : of(schemas[name]!)
  }
  if (schema.enum) return joined(schema.enum.map((value) => html`${JSON.stringify(value)}`))
  if ('const' in schema) return html`${JSON.stringify(schema.const)}`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return joined(choices.map((choice) => of(choice)))
  if (Array.isArray(schema.type)) return joined(schema.type.map((type) => of({ ...schema, type })))
  if (schema.type === 'array') return html`${bracketed(of(schema.items ?? {}))}[]`
  if (schema.properties) return fieldsOf(schema, (one) => of(one, 1), depth)
  if (schema.type === 'object') return html`object`
  return html`${schema.type === 'string' ? 'text' : (schema.type ?? 'anything')}`
}

/** Whether it is shared. Other schemas are shown in place. */
const isModel = (name: string): boolean => !/(?:Body|Answer\d*)$/.test(name)

function fieldsOf({ properties, required = [] }: Schema, of: (schema: Schema) => Html, depth: number): Html {
  const fields = Object.entries(properties!).map(([name, schema]) => ({
    name: required.includes(name) ? name : `${name}?`,
    shape: of(schema),
  }))
  const line = fields.map(({ name, shape }) => html`${name}: ${shape}`)
  const isShort = lengthOf(line) <= maxLineLength && line.every(({ text }) => !text.includes('\n'))
  if (isShort) return html`{ ${line.map((field, index) => html`${index > 0 && ', '}${field}`)} }`
  const indent = '  '.repeat(depth + 1)
  return html`{
${line.map((field) => html`${indent}${field}\n`)}${'  '.repeat(depth)}}`
}

const lengthOf = (parts: readonly Html[]) =>
  parts.reduce((length, { text }) => length + text.replace(/<[^>]*>/g, '').length + 2, 0)

const joined = (shapes: readonly Html[]): Html =>
  html`${shapes.map((shape, index) => html`${index > 0 && ' | '}${shape}`)}`

const bracketed = (shape: Html): Html => (shape.text.includes(' | ') ? html`(${shape})` : shape)
