import type { Json } from './schemas.ts'

const meanings: Readonly<Record<string, string>> = {
  askId: 'An ask, by its id',
  column: 'A column, such as 02-todo, todo or To do',
  commentId: 'A comment, by its id',
  deliveryId: 'A delivery, by its id',
  dir: 'A repository, by the name of its folder',
  emoji: 'An emoji, percent-encoded, or its name as :+1:',
  id: 'An id, as lists and answers have it; a member also by slug or exact name',
  keyId: 'A key, by its id',
  memberId: 'A member, by id, slug or exact name',
  messageId: 'A message, by its id',
  name: 'A name, as the list of its folder has it; a document also by the slug of its title, or by its id',
  number: 'A pull request, by its number',
  path: 'A path below the folder',
  postId: 'The id of the post, document or card',
  project: 'A project, by its slug or id',
  room: 'A room, by its slug or id, with or without .md',
  roomId: 'A room, by its id or slug',
  topic: 'A topic, as the list of help pages has it',
}

export const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/([:*])(\w+)/g)].map(([, kind, name]) => ({
    name,
    in: 'path',
    required: true,
    description: `${meanings[name!]}${kind === '*' ? '; slashes are not encoded' : ''}`,
    schema: { type: 'string' },
  }))
