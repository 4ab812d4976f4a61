import { stringify } from 'yaml'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Member } from '../../access/member.ts'
import type { Project } from '../../access/project.ts'
import { mentionNames, type ParsedContent } from '../../markdown/index.ts'
import { columnOf } from '../model/document-paths.ts'

const iso = (ms: number) => new Date(ms).toISOString()

const scalar = (text: string) => stringify(text, { lineWidth: 0 }).trimEnd()

/** Returns the lines in the order of `docs/interface.md#reading-a-file`, without empty fields. */
export function serverLines(
  record: DocumentRecord,
  digest: ParsedContent,
  details: { project: Project; author: Member; names: Record<string, string> },
): string {
  const { project, author, names } = details
  const mentioned = mentionNames(digest, names)
  const lines: [string, string | number | boolean | null | undefined][] = [
    ['id', record.id],
    ['project', scalar(project.slug)],
    ['projectId', project.id],
    ['author', scalar(author.name)],
    ['authorId', author.id],
    ['authorType', author.type],
    ['publishedAt', iso(record.publishedMs)],
    ['editedAt', record.editedMs && iso(record.editedMs)],
    ['isPinned', record.isPinned || null],
    ['comments', record.commentCount],
    ['mentions', mentioned.length > 0 ? JSON.stringify(mentioned) : null],
    ['attachments', record.attachments.length > 0 ? JSON.stringify(record.attachments) : null],
  ]
  if (record.kind === 'card') {
    lines.push(
      ['number', record.number],
      ['columnId', columnOf(record)],
      ['lastActivityAt', iso(record.activityMs)],
    )
  }
  return lines
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')
}

/** What can change without a new revision. A read with a changed envelope is never answered with 304. */
export const envelopeOf = (
  record: Omit<DocumentRecord, 'envelope'>,
  digest: ParsedContent,
  details: { author: Member; names: Record<string, string> },
): string =>
  JSON.stringify([
    record.commentCount,
    record.isPinned,
    record.publishedMs,
    ...record.attachments.map(({ id }) => id),
    ...(record.kind === 'card' ? [columnOf(record), record.status, record.activityMs] : []),
    details.author.name,
    ...mentionNames(digest, details.names),
  ])
