/** Keys that a read adds and a write removes. */
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
