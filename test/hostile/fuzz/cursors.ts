import { request } from '../../support/http-client.ts'
import type { CampaignRun } from '../campaign.ts'
import { nastyTexts } from './dictionary.ts'
import { mutateText, wellFormed } from './mutation.ts'
import { filled } from './requests.ts'
import { boundMs } from './responses.ts'
import type { FuzzWorkspace } from './workspace.ts'

/** A list with pages. */
interface Paged {
  path: string
  parameter: string
  /** The fields of a response with the rows and the next cursor. */
  rows: string
  next: string
}

const lists: readonly Paged[] = [
  {
    path: '/api/rooms/{pagedId}/messages?limit=3',
    parameter: 'cursor',
    rows: 'page',
    next: 'continueCursor',
  },
  { path: '/api/asks?limit=2', parameter: 'cursor', rows: 'asks', next: 'nextCursor' },
  { path: '/v1/projects/general/posts?limit=2', parameter: 'cursor', rows: 'posts', next: 'nextCursor' },
  { path: '/v1/events?wait=0&self=include&includeOwn=1', parameter: 'since', rows: 'events', next: 'cursor' },
]

export interface CursorInput {
  list: number
  /** Null for the list's own cursor. */
  cursor: string | null
}

/** The cursors that the lists of a workspace answer. */
export async function cursorsOf({ call, names }: FuzzWorkspace): Promise<string[]> {
  const cursors: string[] = []
  for (const { path, next } of lists) {
    cursors.push(String((await call('GET', filled(path, names))).json[next] ?? ''))
  }
  return cursors
}

/** A longer cursor would make the request's headers too long. */
const maxLength = 1000

/** Draws a cursor: a list's own, another list's, or a changed one. */
export function drawCursor(run: CampaignRun, cursors: readonly string[]): CursorInput {
  const list = run.below(lists.length)
  const known = cursors[run.below(3) > 0 ? list : run.below(cursors.length)]!
  const number = Number(known)
  const changed = [
    known,
    mutateText(run, known, nastyTexts),
    run.pick(nastyTexts),
    known.slice(0, run.below(known.length + 1)),
    number.toFixed(run.below(4)),
    number.toPrecision(6 + run.below(12)),
    number.toExponential(),
    `+${known}`,
    String(number + run.pick([-1, 1, 1e6, -1e6, 1e12])),
  ]
  return { list, cursor: run.below(8) === 0 ? null : wellFormed(run.pick(changed).slice(0, maxLength)) }
}

/** Reads a list after a cursor: a valid one answers a page without repeated rows, an invalid one 400. */
export async function attackCursor(
  { url, keys, names, call }: FuzzWorkspace,
  input: CursorInput,
): Promise<string[]> {
  const { path: named, parameter, rows, next } = lists[input.list]!
  const path = filled(named, names)
  const first = input.cursor === null ? await call('GET', path) : null
  const cursor = input.cursor ?? String(first!.json?.[next] ?? '')
  const startedMs = performance.now()
  const query = `&${parameter}=${encodeURIComponent(cursor)}`
  const response = await request(url, 'GET', path + query, { key: keys.owner })
  const ms = performance.now() - startedMs
  const problems: string[] = []
  if (ms > boundMs) problems.push(`took ${Math.round(ms)} ms`)
  const isPage = response.status === 200 && Array.isArray(response.json?.[rows])
  const isRefused =
    response.status === 400 &&
    input.cursor !== null &&
    response.json?.requestId === response.headers['x-request-id']
  if (!isPage && !isRefused) problems.push(`${response.status} ${response.text.slice(0, 300)}`)
  if (first && isPage && cursor !== '') {
    const seen = new Set(first.json[rows].map((row: unknown) => JSON.stringify(row)))
    const repeated = response.json[rows].filter((row: unknown) => seen.has(JSON.stringify(row)))
    if (repeated.length > 0)
      problems.push(`a row is on two pages: ${JSON.stringify(repeated[0]).slice(0, 200)}`)
  }
  return problems.map((problem) => `GET ${path}${query}: ${problem}`)
}
