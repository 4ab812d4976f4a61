import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Member } from '../../access/member.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'

/** Why nobody changes a published post over an interface (`docs/interface.md#conflicts`): another's is not theirs, and their own is closed. */
export function immutablePostError(
  member: Member,
  { authorId }: Pick<DocumentRecord, 'authorId'>,
): WorkspaceError {
  if (authorId !== member.id) {
    return new WorkspaceError(
      'forbidden',
      'This post was published by somebody else. Write a post or a draft of your own.',
    )
  }
  // No revision is named beside it: with none would the write succeed.
  return new WorkspaceError('conflict', 'Published posts are immutable. Write a new post or a draft instead.')
}
