import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Caller } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { doneColumn } from '../documents/model/columns.ts'
import { columnOf } from '../documents/model/document-paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'

interface AssignedCardsDeps {
  catalogue: Catalogue
  projects: ProjectStore
  isMounted: (record: DocumentRecord) => boolean
}

interface AssignedCard {
  record: DocumentRecord
  project: Project
}

/** Open cards in projects that are not archived. */
export function assignedCards(
  caller: Caller,
  { catalogue, isMounted, projects }: AssignedCardsDeps,
): AssignedCard[] {
  if (!hasScope(caller, 'cards:read')) return []
  const { id, name } = caller.member
  const isAssigned = (record: DocumentRecord) =>
    record.card!.assignees.some((one) => one === name || one === id) && isOpen(record) && isMounted(record)
  return projects
    .readableBy(caller.member)
    .filter(({ archivedMs }) => archivedMs === null)
    .flatMap((project) =>
      catalogue
        .ofKind(project.id, 'card')
        .filter(isAssigned)
        .map((record) => ({ record, project })),
    )
}

const isOpen = (record: DocumentRecord): boolean =>
  record.status !== 'closed' && columnOf(record) !== doneColumn
