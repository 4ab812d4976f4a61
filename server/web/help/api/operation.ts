import { type Html, html } from '../../html.ts'
import type { Description, Schema, ShownOperation } from './description.ts'
import { shapeOf } from './shape.ts'

type Schemas = Description['schemas']

export const operationSection = (operation: ShownOperation, schemas: Schemas): Html => html`
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
