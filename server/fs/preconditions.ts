import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Precondition } from '../../core/revisions/preconditions.ts'

/** Means the same as `If-Match`, for clients that cannot set headers. */
export const expectedRevision = {
  expectedRevision: z.string().describe('As If-Match: the revision that you have read').optional(),
}

/** `"rev"`, `W/"rev"`, or a bare revision. */
const entityTag = /^(?:(?:W\/)?"([\x21\x23-\x7e]+)"|([0-9a-f]{20}))$/
/** A compressing proxy adds a suffix to the tag. */
const proxySuffix = /^([0-9a-f]{20})[-;](?:gzip|br|zstd|deflate)$/

/** Null if any entity tag is malformed. */
function revisionsOf(list: string): string[] | null {
  const revisions: string[] = []
  for (const part of list.split(',')) {
    const tag = entityTag.exec(part.trim())
    if (!tag) return null
    const revision = tag[1] ?? tag[2]!
    revisions.push(proxySuffix.exec(revision)?.[1] ?? revision)
  }
  return revisions
}

/** Implements `If-None-Match`. A malformed header is ignored. */
export function isNotModified(ifNoneMatch: string | undefined, revision: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.trim() === '*' || (revisionsOf(ifNoneMatch)?.includes(revision) ?? false)
}

const malformed = (what: string, forms: string) =>
  new WorkspaceError('invalid', `${what} is malformed. It takes ${forms}.`)

function parseIfMatch(header: string): Precondition {
  if (header.trim() === '*') return { kind: 'exists' }
  const revisions = revisionsOf(header)
  if (!revisions) throw malformed('If-Match', 'a revision in quotes, a list of them, or *')
  return { kind: 'match', revisions }
}

function parseExpectedRevision(parameter: string): Precondition {
  const revisions = revisionsOf(parameter.includes('"') ? parameter : `"${parameter}"`)
  if (!revisions) throw malformed('expectedRevision', 'a revision, as X-Service-Revision shows it')
  return { kind: 'match', revisions }
}

function parseIfNoneMatch(header: string): Precondition {
  if (header.trim() === '*') return { kind: 'create' }
  throw malformed('If-None-Match', '* on a write, which then only creates')
}

function combine(one: Precondition, other: Precondition): Precondition {
  if (one.kind === 'none') return other
  if (other.kind === 'none') return one
  if (one.kind === 'create' || other.kind === 'create') {
    throw new WorkspaceError(
      'invalid',
      'If-None-Match: * and a revision exclude each other. Send one of them.',
    )
  }
  if (one.kind === 'exists') return other
  if (other.kind === 'exists') return one
  return { kind: 'match', revisions: one.revisions.filter((revision) => other.revisions.includes(revision)) }
}

/** All conditions given must hold (`docs/interface.md#writing-a-file`). @throws WorkspaceError `invalid` */
export function preconditionOf(
  headers: IncomingHttpHeaders,
  ...expectedRevisions: (string | undefined)[]
): Precondition {
  const ifMatch = headers['if-match']
  const ifNoneMatch = headers['if-none-match']
  let condition: Precondition = { kind: 'none' }
  if (ifMatch !== undefined) condition = parseIfMatch(ifMatch)
  for (const revision of expectedRevisions) {
    if (revision !== undefined) condition = combine(condition, parseExpectedRevision(revision))
  }
  if (ifNoneMatch !== undefined) condition = combine(condition, parseIfNoneMatch(ifNoneMatch))
  return condition
}
