import { WorkspaceError } from '../../../../core/errors/workspace-error.ts'
import { newRoutes, type RouteContext, type Routes } from '../../../context.ts'
import { type Html, html } from '../../html.ts'
import { type Description, describe, type Schema, type ShownOperation } from './description.ts'
import { apiHelpPath, modelsPath } from './paths.ts'
import { isModel, shapeOf } from './shape.ts'

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
