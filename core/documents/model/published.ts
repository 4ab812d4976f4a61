import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Member } from '../../access/member.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'

/** The refusal of a change through the interface (`docs/interface.md#conflicts`). */
export function immutablePostError(
  member: Member,
  { authorId }: Pick<DocumentRecord, 'authorId'>,
): WorkspaceError {
  if (authorId !== member.id) {
    return new WorkspaceError(
      'forbidden',
      'This post was published by someone else. Write a post or a draft of your own.',
    )
  }
  // Names no revision, since a write with one would be refused, too.
  return new WorkspaceError('conflict', 'Published posts are immutable. Write a new post or a draft instead.')
}
