import type { Endpoint } from '../../../server/endpoints.ts'
import type { CampaignRun } from '../campaign.ts'
import type { Corpus } from './corpus.ts'
import {
  fieldValues,
  headerValues,
  methods,
  nastyTexts,
  nastyValues,
  parameters,
  queryNames,
  queryValues,
} from './dictionary.ts'
import { multipartOf } from './multipart.ts'
import { mutateJson, mutateText, wellFormed } from './mutation.ts'
import type { KeyName } from './workspace.ts'

/** A request. `{name}` in `path` and `body` stands for the workspace's value of that name. */
export interface RequestInput {
  method: string
  path: string
  headers: Record<string, string>
  /** Latin-1: each character is a byte. Null without a body. */
  body: string | null
  key: KeyName
}

export interface Routes {
  endpoints: Endpoint[]
  /** The fields of the body, by method and path. */
  fields: Map<string, string[]>
}

export function routesOf(endpoints: Endpoint[]): Routes {
  const fields = new Map<string, string[]>()
  for (const { method, path, accepts } of endpoints) {
    if (typeof accepts?.body === 'object') fields.set(`${method} ${path}`, Object.keys(accepts.body))
  }
  return { endpoints, fields }
}

/** Draws a nearly correct request, or mutates one of the corpus. */
export function drawRequest(run: CampaignRun, routes: Routes, corpus: Corpus): RequestInput {
  if (corpus.requests.length > 0 && run.below(5) < 2) return mutate(run, run.pick(corpus.requests))
  const endpoint = run.pick(routes.endpoints)
  const isForeign = run.below(12) === 0
  const input: RequestInput = {
    method: isForeign ? run.pick(methods) : endpoint.method,
    path: isForeign && run.below(3) === 0 ? davPath(run) : pathOf(run, endpoint) + queryOf(run, endpoint),
    headers: headersOf(run),
    body: null,
    key: run.pick(['owner', 'owner', 'owner', 'person', 'agent', 'stranger', 'none']),
  }
  if (input.method === 'GET' || input.method === 'HEAD')
    return run.below(20) === 0 ? { ...input, body: '{"a":1}' } : input
  return withBody(run, input, endpoint, routes, corpus)
}

const davPath = (run: CampaignRun) =>
  `/dav/projects/general/${run.pick(['', 'documents/plan.md', 'documents', 'files/x.bin', 'board/02-todo/x.md', 'new/', run.pick(nastyTexts)])}`

function pathOf(run: CampaignRun, { path }: Endpoint): string {
  return path.replace(/[:*](\w+)/g, (_, name: string) => {
    const known = parameters[name]
    return known && run.below(6) > 0 ? run.pick(known) : encodeURIComponent(wellFormed(run.pick(nastyTexts)))
  })
}

function queryOf(run: CampaignRun, { accepts }: Endpoint): string {
  if (run.below(2) === 0) return ''
  const own = Object.keys(accepts?.query ?? {})
  const names = run.below(4) > 0 && own.length > 0 ? own : queryNames
  const pairs = Array.from({ length: 1 + run.below(3) }, () => {
    const value = run.below(3) > 0 ? run.pick(queryValues) : wellFormed(run.pick(nastyTexts))
    return run.below(10) === 0
      ? run.pick(names)
      : `${run.pick(names)}=${value.startsWith('{') ? value : encodeURIComponent(value)}`
  })
  return `?${pairs.join('&')}`
}

function headersOf(run: CampaignRun): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let times = run.below(3); times > 0; times--) {
    const name = run.pick(Object.keys(headerValues))
    headers[name] = run.pick(headerValues[name]!)
  }
  return headers
}

function withBody(
  run: CampaignRun,
  input: RequestInput,
  endpoint: Endpoint,
  routes: Routes,
  corpus: Corpus,
): RequestInput {
  const kind =
    run.below(12) === 0
      ? run.pick(['json', 'markdown', 'file', 'none'] as const)
      : (endpoint.accepts?.body ?? 'none')
  switch (kind) {
    case 'json':
      return {
        ...input,
        body: bytesOf(
          JSON.stringify(jsonBody(run, routes.fields.get(`${endpoint.method} ${endpoint.path}`) ?? [])),
        ),
      }
    case 'markdown':
      return {
        ...input,
        body: bytesOf(
          run.below(4) === 0 || corpus.texts.length === 0
            ? '# T\n\nText.\n'
            : mutateText(run, run.pick(corpus.texts), nastyTexts),
        ),
      }
    case 'file': {
      if (run.below(3) === 0)
        return {
          ...input,
          path: `${input.path.split('?')[0]}?name=${encodeURIComponent(wellFormed(run.pick(nastyTexts)))}`,
          body: 'bytes',
        }
      const { contentType, body } = multipartOf(run)
      return { ...input, headers: { ...input.headers, 'Content-Type': contentType }, body }
    }
    default:
      return run.below(8) === 0 ? { ...input, body: run.pick(['{}', '{"a":1}', 'x', '[', 'null']) } : input
  }
}

function jsonBody(run: CampaignRun, names: readonly string[]): unknown {
  const body: Record<string, unknown> = {}
  for (const name of names) {
    if (run.below(5) === 0) continue
    const usual = fieldValues[name]
    body[name] =
      usual && run.below(5) > 0 ? run.pick(usual) : run.pick(run.below(2) === 0 ? nastyValues : nastyTexts)
  }
  return run.below(3) === 0 ? mutateJson(run, body, nastyTexts) : body
}

const bytesOf = (text: string) => Buffer.from(text).toString('latin1')

function mutate(run: CampaignRun, input: RequestInput): RequestInput {
  switch (run.below(6)) {
    case 0:
      return { ...input, method: run.pick(methods) }
    case 1:
      return { ...input, path: `/${mutateText(run, input.path.slice(1), nastyTexts)}` }
    case 2:
      return { ...input, headers: { ...input.headers, ...headersOf(run) } }
    case 3:
      return { ...input, key: run.pick(['owner', 'person', 'agent', 'stranger', 'none']) }
    default:
      if (input.body === null)
        return { ...input, path: input.path + (input.path.includes('?') ? '&' : '?') + run.pick(queryNames) }
      return { ...input, body: mutateBody(run, input.body) }
  }
}

function mutateBody(run: CampaignRun, body: string): string {
  try {
    const value: unknown = JSON.parse(Buffer.from(body, 'latin1').toString())
    if (run.below(4) > 0) return bytesOf(JSON.stringify(mutateJson(run, value, nastyTexts)))
  } catch {
    // The body is not JSON.
  }
  return mutateText(run, body, nastyTexts.map(bytesOf))
}

/** Fills in each `{name}` of a text. @param encode applied to each value */
export const filled = (
  text: string,
  names: ReadonlyMap<string, string>,
  encode: (value: string) => string = String,
): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = names.get(name)
    return value === undefined ? whole : encode(value)
  })
