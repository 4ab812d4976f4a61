import { mayEnterProject } from '../access.ts'
import type { Catalogue } from '../documents/catalogue.ts'
import { pagePath, treePath } from '../documents/places.ts'
import type { Members } from '../members/members.ts'
import type { Caller } from '../members/types.ts'
import type { Projects } from '../projects/projects.ts'
import type { Inbox } from './inbox.ts'

/** A mention as its reader is shown it. */
export interface UnreadMentionRow {
  /** Display name. */
  author: string
  authorId: string
  title: string
  /** Unix milliseconds. */
  at: number
  /** `/v1/fs/…` of the file that the mention stands in. */
  path: string
  url: string
  /** Slug. */
  project: string
}

/** A member's unread mentions, newest first: those whose post is still there and may be read by them. */
export function unreadMentions(
  caller: Caller,
  parts: {
    inbox: Inbox
    catalogue: Catalogue
    members: Members
    projects: Projects
    pageUrl: (path: string) => string
  },
): UnreadMentionRow[] {
  const { inbox, catalogue, members, projects, pageUrl } = parts
  return inbox.unread(caller.member.id).flatMap(({ authorId, documentId, atMs }) => {
    const post = catalogue.find(documentId)
    const project = post && projects.find(post.projectId)
    if (!post || !project || post.kind !== 'post') return []
    if (!mayEnterProject(caller.member, projects.roleOf(project, caller.member))) return []
    return {
      author: members.find(authorId)!.name,
      authorId,
      title: post.title,
      at: atMs,
      path: treePath(project, post),
      url: pageUrl(pagePath(project, post)),
      project: project.slug,
    }
  })
}
