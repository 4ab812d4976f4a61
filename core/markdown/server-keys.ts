/** Keys that the server adds on a read and drops on a write, whatever they say. */
export const serverKeys: ReadonlySet<string> = new Set([
  'id',
  'project',
  'projectId',
  'author',
  'authorId',
  'authorType',
  'publishedAt',
  'editedAt',
  'isPinned',
  'comments',
  'mentions',
  'attachments',
  'number',
  'columnId',
  'lastActivityAt',
])
