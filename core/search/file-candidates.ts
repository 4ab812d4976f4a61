import type { Caller } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { pagePath } from '../documents/model/document-paths.ts'
import { mayRead } from '../documents/model/readable-documents.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Candidate } from './top-matches.ts'

/** Yields null for each record, so that a caller can pause. */
export function* attachedFiles(
  { catalogue, projects }: { catalogue: Catalogue; projects: ProjectStore },
  caller: Caller,
  project: Project,
): Generator<Candidate | null, void, undefined> {
  const records = [
    ...catalogue.ofKind(project.id, 'post'),
    ...catalogue.ofKind(project.id, 'draft', caller.member.id),
  ]
  for (const record of records) {
    yield null
    if (record.attachments.length === 0 || !mayRead(caller, record, projects)) continue
    for (const { id, name } of record.attachments) {
      const page = `${pagePath(project, record)}#${id}`
      yield { kind: 'file', title: name, page, where: `${record.title}, ${project.name}` }
    }
  }
}
