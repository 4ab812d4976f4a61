import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { type Html, html } from '../html.ts'

const parts = {
  '': 'Overview',
  posts: 'Posts',
  docs: 'Documents',
  board: 'Board',
  asks: 'Asks',
  plan: 'Plan',
  files: 'Files',
  drafts: 'Drafts',
  map: 'Map',
  links: 'Links',
  repositories: 'Repositories',
  pulls: 'Pull requests',
  skills: 'Skills',
  trash: 'Trash',
  settings: 'Settings',
} as const

export type ProjectPart = keyof typeof parts

/** The others are under "More". */
const mainParts: readonly ProjectPart[] = ['', 'posts', 'docs', 'board', 'asks', 'plan', 'files']

/** @throws WorkspaceError `not_found`, `forbidden` */
export const requireProject = (
  { directory: { projects } }: Pick<Workspace, 'directory'>,
  caller: Caller,
  slug: string,
): Project => projects.require(caller.member, slug)

/** The header of a project's pages. @param at the current part */
export function projectHeader(project: Project, at: ProjectPart): Html {
  const entry = (part: ProjectPart) =>
    html`<a href="${projectPagePath(project, part)}"${part === at && html` aria-current="page"`}>${parts[part]}</a>
`
  const rest = (Object.keys(parts) as ProjectPart[]).filter((part) => !mainParts.includes(part))
  const isAside = !mainParts.includes(at)
  return html`<p class="trail"><a href="/projects">Projects</a> / <a href="${projectPagePath(project)}"><bdi>${project.name}</bdi></a></p>
<nav class="tabs" aria-label="Project">
${mainParts.map(entry)}${isAside && entry(at)}<button class="other-parts" type="button" popovertarget="more-parts">More</button>
<div id="more-parts" class="menu-list" popover>
${rest.map(entry)}</div>
</nav>
${project.archivedMs !== null && html`<p class="notice warn">This project is archived and read-only.</p>`}`
}
