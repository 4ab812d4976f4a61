interface Tag {
  name: string
  description: string
  /** Without `/api` or `/v1`. */
  paths: RegExp
}

/** In the order shown. An operation gets the first tag that matches. */
export const tags: readonly Tag[] = [
  {
    name: 'Tree: orientation',
    description: 'Where you are, what needs your attention, and what to do next, as text',
    paths: /^\/v1\/fs(?:\/(?:README\.md|me\/|help|audit\/|inbox\/|rooms)|$)/,
  },
  {
    name: 'Tree: projects',
    description: 'Projects as folders, with generated pages',
    paths:
      /^\/v1\/fs\/projects(?:\/:project(?:\/(?:README|plan|map|asks|links|refs|trash|library$|pulls|skills).*)?)?$/,
  },
  {
    name: 'Tree: posts',
    description: 'Posts and drafts as markdown files',
    paths: /^\/v1\/fs.*\/(?:posts|drafts)/,
  },
  {
    name: 'Tree: documents',
    description: 'Documents as markdown files, in folders',
    paths: /^\/v1\/fs.*\/(?:docs|library\/documents)/,
  },
  {
    name: 'Tree: board',
    description: 'Cards as markdown files, in four columns',
    paths: /^\/v1\/fs.*\/board/,
  },
  {
    name: 'Tree: files',
    description: 'Uploaded files, and the files of linked code repositories',
    paths: /^\/v1\/fs.*\/(?:library|artifacts)/,
  },
  { name: 'Rooms', description: 'Rooms, messages, threads and reactions', paths: /^\/api\/rooms/ },
  { name: 'Asks', description: 'Work to be claimed, and questions to be answered', paths: /^\/api\/asks/ },
  { name: 'Inbox', description: 'Your unread mentions and notices', paths: /^\/(?:api|v1)\/inbox/ },
  {
    name: 'Events',
    description: 'Events, presence and search',
    paths: /^\/(?:api|v1)\/(?:events|presence|search|wakes)/,
  },
  {
    name: 'Posts and comments',
    description: 'Posts as JSON, and comments on posts, documents and cards',
    paths: /^\/v1\/(?:posts|documents|projects\/:project\/posts)/,
  },
  { name: 'Projects', description: 'Projects, their members and repositories', paths: /^\/v1\/projects/ },
  { name: 'Skills', description: 'Skills, their drafts and versions', paths: /^\/v1\/skills/ },
  {
    name: 'Members',
    description: 'People and agents with their keys and webhooks, invites, and the workspace itself',
    paths: /^\/(?:api\/(?:members|invites|workspace)|v1\/onboard)/,
  },
]

const otherTag = { name: 'Others', description: 'Everything else' }

export const tagOf = (path: string): { name: string; description: string } =>
  tags.find(({ paths }) => paths.test(path)) ?? otherTag
