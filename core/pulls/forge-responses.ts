import * as z from 'zod'
import type { PullRequestRow } from '../../data/tables/pull-requests.ts'

export type ForgePull = Omit<PullRequestRow, 'projectId' | 'checkedMs' | 'etag'>

/** UTF-16 code units. */
const maxLength = { title: 300, branch: 255, author: 100, url: 2000, description: 64 * 1024 }

const schema = z.object({
  number: z.int().min(1).max(999_999_999),
  title: z.string(),
  state: z.string(),
  draft: z.boolean().nullish(),
  merged: z.boolean().nullish(),
  merged_at: z.string().nullish(),
  head: z.object({ ref: z.string(), sha: z.string() }),
  base: z.object({ ref: z.string() }),
  user: z.object({ login: z.string() }).nullish(),
  body: z.string().nullish(),
  html_url: z.string().nullish(),
  updated_at: z.string(),
})

/** Null if the body is not a list. Omits invalid entries. */
export function parsePulls(body: Buffer): ForgePull[] | null {
  const value = parse(body)
  return Array.isArray(value) ? value.map(pullOf).filter((pull) => pull !== null) : null
}

export const parsePull = (body: Buffer): ForgePull | null => pullOf(parse(body))

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function pullOf(value: unknown): ForgePull | null {
  const { data } = schema.safeParse(value)
  const updatedMs = data && Date.parse(data.updated_at)
  if (!data || updatedMs === undefined || !Number.isSafeInteger(updatedMs)) return null
  const isMerged = data.merged === true || (data.merged_at ?? '') !== ''
  return {
    number: data.number,
    title: toLine(data.title, maxLength.title),
    state: isMerged ? 'merged' : data.state === 'open' ? 'open' : 'closed',
    isDraft: data.draft === true ? 1 : 0,
    head: toLine(data.head.ref, maxLength.branch),
    base: toLine(data.base.ref, maxLength.branch),
    headCommit: toLine(data.head.sha, maxLength.branch),
    author: toLine(data.user?.login ?? '', maxLength.author) || 'ghost',
    description: truncate((data.body ?? '').replaceAll('\0', '\uFFFD'), maxLength.description),
    forgeUrl: pageOf(data.html_url ?? ''),
    updatedMs,
  }
}

const toLine = (text: string, length: number) => truncate(text.replace(/[\s\p{Cc}]+/gu, ' ').trim(), length)

const truncate = (text: string, length: number) =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

function pageOf(url: string): string {
  if (url.length > maxLength.url || !URL.canParse(url)) return ''
  const { protocol, href } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? href : ''
}
