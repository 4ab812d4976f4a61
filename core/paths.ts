import type { DocumentRecord } from '../data/tables/documents.ts'

// Percent-encoded and without the base URL, as rows and events contain them.

interface Named {
  slug: string
}

interface NamedFile {
  kind: DocumentRecord['kind']
  /** Within its kind's folder. */
  filename: string
}

const encoded = (path: string): string =>
  // Most names need no encoding, and a long list has hundreds of thousands.
  /^[\w.~/-]*$/.test(path) ? path : path.split('/').map(encodeURIComponent).join('/')

export const treeRoot = '/v1/fs'
export const projectsTreePath = `${treeRoot}/projects`
export const roomsTreePath = `${treeRoot}/rooms`
export const mentionsTreePath = `${treeRoot}/inbox/mentions.md`
export const usageTreePath = `${treeRoot}/audit/usage.md`
export const ownKeyTreePath = `${treeRoot}/me/api-key`

export const projectTreePath = ({ slug }: Named, path = ''): string =>
  `${projectsTreePath}/${encodeURIComponent(slug)}${path && `/${path}`}`

export function fileTreePath(project: Named, file: NamedFile & { column: string | undefined }): string {
  const name = encoded(file.filename)
  switch (file.kind) {
    case 'home':
      return projectTreePath(project, name)
    case 'post':
      return projectTreePath(project, `posts/${name}`)
    case 'draft':
      return projectTreePath(project, `drafts/${name}`)
    case 'document':
      return projectTreePath(project, `library/documents/${name}`)
    case 'card':
      return `${columnTreePath(project, file.column!)}/${name}`
  }
}

export const columnTreePath = (project: Named, column: string): string =>
  projectTreePath(project, `board/${column}`)

export const documentsTreePath = (project: Named): string => projectTreePath(project, 'docs')

export const libraryTreePath = (project: Named): string => projectTreePath(project, 'library')

export const filesTreePath = (project: Named, path?: string): string =>
  `${libraryTreePath(project)}/files${path === undefined ? '' : `/${encoded(path)}`}`

export const repositoriesTreePath = (project: Named, dir?: string, path?: string): string =>
  [
    `${libraryTreePath(project)}/repositories`,
    ...(dir === undefined ? [] : [encodeURIComponent(dir)]),
    ...(path === undefined ? [] : [encoded(path)]),
  ].join('/')

export const pullsTreePath = (project: Named, number?: number): string =>
  projectTreePath(project, number === undefined ? 'pulls' : `pulls/${number}`)

export const skillTreePath = (project: Named, name: string, path?: string): string =>
  projectTreePath(
    project,
    `skills/${encodeURIComponent(name)}${path === undefined ? '' : `/${encoded(path)}`}`,
  )

export const planTreePath = (project: Named): string => projectTreePath(project, 'plan.md')

export const linksTreePath = (project: Named): string => projectTreePath(project, 'links.md')

export const restoreTreePath = (project: Named, id: string): string =>
  projectTreePath(project, `trash/${id}/_restore`)

export const transcriptName = ({ slug }: Named): string => `${slug}.md`

export const transcriptPath = (room: Named): string =>
  `${roomsTreePath}/${encodeURIComponent(transcriptName(room))}`

/** Contains ids, so that links stay valid when the room is renamed. */
export const roomAttachmentTreePath = (roomId: string, id: string): string =>
  `${roomsTreePath}/${roomId}/attachments/${id}`

/** @param messageId of the first message of the thread, or of a reply */
export const threadPath = (room: Named, messageId: string): string =>
  `${transcriptPath(room)}?thread=${messageId}`

export const mountRoot = '/dav'

/** File managers mount these paths with a password; no cookie opens them. */
export const isInMount = (path: string): boolean => path === mountRoot || path.startsWith(`${mountRoot}/`)

export const mountPath = ({ slug }: Named, path: string): string =>
  `${mountRoot}/projects/${encodeURIComponent(slug)}/${encoded(path)}`

/** @param kind of what the comments are on */
export const commentsPath = (id: string, kind = 'post'): string =>
  `/v1/${kind === 'post' ? 'posts' : 'documents'}/${id}/comments`

export const asksPath = '/api/asks'

export const askStepPath = (askId: string, step: 'claim' | 'resolve'): string =>
  `${asksPath}/${askId}/${step}`

export const roomPath = (idOrSlug: string): string => `/api/rooms/${idOrSlug}`

export const messagesPath = (idOrSlug: string): string => `${roomPath(idOrSlug)}/messages`

export const membersPath = '/api/members'

export const deliveriesPath = (memberId: string): string => `${membersPath}/${memberId}/webhook/deliveries`

export const inboxPath = '/v1/inbox'
export const readMentionsPath = '/api/inbox/read'

const projectsPagePath = '/projects'

export const projectPagePath = ({ slug }: Named, path = ''): string =>
  `${projectsPagePath}/${encodeURIComponent(slug)}${path && `/${path}`}`

export function filePagePath(project: Named, file: NamedFile & { number: number | null }): string {
  const name = encoded(file.filename.replace(/\.md$/i, ''))
  switch (file.kind) {
    case 'home':
      return projectPagePath(project)
    case 'post':
      return projectPagePath(project, `posts/${name}`)
    case 'draft':
      return projectPagePath(project, `drafts/${name}`)
    case 'document':
      return projectPagePath(project, `docs/${name}`)
    case 'card':
      return projectPagePath(project, `board/${file.number}`)
  }
}

/** @param path as some version of `fileTreePath` returned it */
export function pagePathForTreePath(path: string, number: number | null): string {
  const [, base, folder, name] = /^\/v1\/fs(\/projects\/[^/]+)(?:\/([^/]+)\/(.+)|\/[^/]+)?$/.exec(path)!
  switch (folder) {
    case undefined:
      return base!
    case 'board':
      return `${base}/board/${number}`
    case 'library':
      return `${base}/docs/${name!.replace(/^documents\//, '').replace(/\.md$/i, '')}`
    default:
      return `${base}/${folder}/${name!.replace(/\.md$/i, '')}`
  }
}

export const asksPagePath = (project: Named): string => projectPagePath(project, 'asks')

export const planPagePath = (project: Named): string => projectPagePath(project, 'plan')

export const mapPagePath = (project: Named): string => projectPagePath(project, 'map')

export const linksPagePath = (project: Named): string => projectPagePath(project, 'links')

export const pullPagePath = (project: Named, number: number): string =>
  projectPagePath(project, `pulls/${number}`)

export const repositoryPagePath = (project: Named, dir: string): string =>
  projectPagePath(project, `repositories/${encodeURIComponent(dir)}`)

export const skillPagePath = (project: Named, name: string): string =>
  projectPagePath(project, `skills/${encodeURIComponent(name)}`)

export const uploadPagePath = (project: Named, path: string): string =>
  projectPagePath(project, `files/${encoded(path)}`)

export const memberPagePath = (memberId: string): string => `/members/${memberId}`

export const roomsPagePath = '/rooms'

export const roomPagePath = ({ slug }: Named): string => `/rooms/${encodeURIComponent(slug)}`

export const messagePagePath = (room: Named, messageId: string): string =>
  `${roomPagePath(room)}?at=${messageId}#${messageId}`

/** With a token, the sign-in link. */
export const signinPath = (token?: string): string => (token === undefined ? '/signin' : `/signin/${token}`)

export const unsubscribePath = (token: string): string => `/unsubscribe/${token}`

export const downloadPath = (token: string, name: string): string =>
  `/download/${token}/${encodeURIComponent(name)}`

export const isDownloadPath = (path: string): boolean => path.startsWith('/download/')
