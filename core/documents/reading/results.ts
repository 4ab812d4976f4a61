import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Project } from '../../access/project.ts'
import type { ParsedContent } from '../../markdown/index.ts'
import type { Unreached } from '../../members/unreached.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { filenameOf, pagePath, treePath } from '../model/document-paths.ts'
import type { WriteResult } from '../model/types.ts'

export const unreachedByPost = (
  { unreached }: Pick<DocumentsDeps, 'unreached'>,
  project: Project,
  { mentions }: Pick<ParsedContent, 'mentions'>,
  authorId: string,
): Unreached[] =>
  unreached(
    mentions.map(({ id, name }) => [id, name] as const),
    project,
    authorId,
  )

export const writeResult = (
  { pageUrl }: Pick<DocumentsDeps, 'pageUrl'>,
  project: Project,
  record: DocumentRecord,
  outcome: Pick<WriteResult, 'created' | 'changed' | 'blockIds' | 'unreached'>,
): WriteResult => ({
  filename: filenameOf(record),
  path: treePath(project, record),
  id: record.id,
  url: pageUrl(pagePath(project, record)),
  ...outcome,
  revision: record.revision,
})
