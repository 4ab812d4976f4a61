import { WorkspaceError } from '../../../../core/errors/workspace-error.ts'
import { newRoutes, type RouteContext, type Routes } from '../../../context.ts'
import { type Html, html } from '../../html.ts'
import { type Description, describe } from './description.ts'
import { operationSection } from './operation.ts'
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
