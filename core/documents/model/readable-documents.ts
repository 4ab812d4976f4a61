import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { DocumentFilter } from '../../../data/tables/search.ts'
import type { Caller } from '../../access/member.ts'
import { hasScope, mayReadProject, maySeeDraft } from '../../access/permissions.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import { scopeFor } from './scopes.ts'
import type { DocumentKind } from './types.ts'

const allKinds: readonly DocumentKind[] = ['home', 'document', 'post', 'draft', 'card']

const readableKinds = (caller: Caller): DocumentKind[] =>
  allKinds.filter((kind) => hasScope(caller, scopeFor(kind, 'read')))

export const readableDocuments = (caller: Caller, projects: ProjectStore): DocumentFilter => ({
  projects: projects.readableBy(caller.member).map(({ id }) => id),
  kinds: readableKinds(caller),
  memberId: caller.member.id,
})

export function mayRead(
  caller: Caller,
  record: Pick<DocumentRecord, 'projectId' | 'kind' | 'authorId'>,
  projects: ProjectStore,
): boolean {
  const { member } = caller
  const project = projects.find(record.projectId)
  if (!project || !mayReadProject(projects.roleOf(project, member))) return false
  if (record.kind === 'draft' && !maySeeDraft(member, record.authorId)) return false
  return hasScope(caller, scopeFor(record.kind, 'read'))
}
