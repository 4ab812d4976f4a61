import { hasScope } from '../../../core/access/permissions.ts'
import type { Project } from '../../../core/access/project.ts'
import { projectPagePath, skillPagePath, skillTreePath } from '../../../core/paths.ts'
import type { SkillFile, SkillRecord } from '../../../core/skills/types.ts'
import { formatBytes } from '../../../core/text/format-bytes.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { code, maxShownBytes } from '../code.ts'
import { dateTime } from '../dates.ts'
import { Html, html } from '../html.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'
import { pageForPath } from '../repository-links.ts'
import { draftForm, newSkillForm } from './forms.ts'

const path = '/projects/:slug/skills'

export const skillPages = (
  workspace: Pick<Workspace, 'directory' | 'rendering' | 'skills'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: skills')
    .get(
      path,
      page(async (ctx, { caller }) => {
        const project = requireProject(workspace, caller, ctx.params.slug!)
        const skills = await workspace.skills.skills.all(caller, project.slug)
        const mayWrite = project.archivedMs === null && hasScope(caller, 'documents:write')
        return {
          title: `Skills · ${project.name}`,
          content: html`${projectHeader(project, 'skills')}
<div class="page-head"><h1>Skills</h1></div>
${mayWrite && newSkillForm(project)}
<div id="skills" data-live>
${skills.length > 0 ? html`<ul class="rows">${skills.map((skill) => row(project, skill))}</ul>` : noSkill}
</div>`,
          follows: { topics: [`project:${project.id}`] },
        }
      }),
    )
    .purpose('Page: a skill and its draft')
    .get(
      `${path}/:name`,
      page(async (ctx, { caller }) => {
        const project = requireProject(workspace, caller, ctx.params.slug!)
        const name = ctx.params.name!
        const skill = await workspace.skills.skills.find(caller, { project: project.slug, name }, null)
        const published =
          skill.path === null
            ? null
            : await workspace.skills.publishedSkills.folder(caller, project.slug, name)
        const mayWrite = project.archivedMs === null && hasScope(caller, 'documents:write')
        const sheet =
          published && workspace.skills.publishedSkills.file(caller, project.slug, name, 'SKILL.md').bytes
        const tree = projectPagePath(project, `skills/${encodeURIComponent(name)}`)
        const shown =
          sheet && (await workspace.rendering.foreignFiles.html(sheet, pageForPath(tree, 'SKILL.md')))
        return {
          title: `${name} · ${project.name}`,
          content: html`${projectHeader(project, 'skills')}
<p class="trail"><a href="${projectPagePath(project, 'skills')}">Skills</a> /</p>
<div class="page-head"><h1><bdi>${name}</bdi></h1></div>
<div class="stack">
<div id="skill" data-live>
${skill.description && html`<p class="lead"><bdi>${skill.description}</bdi></p>`}
<p class="hint">${state(skill)}</p>
</div>
<div class="stack" id="published" data-live>
${shown && html`<article class="prose sheet">${new Html(shown)}</article>`}
${published && files(project, name, published.files)}
</div>
${mayWrite && draftForm(project, skill, sheet?.toString() ?? null)}
</div>`,
          follows: { topics: [`project:${project.id}`] },
        }
      }),
    )
    .purpose('Page: a file of a skill')
    .get(
      `${path}/:name/*path`,
      page(async (ctx, { caller }) => {
        const project = requireProject(workspace, caller, ctx.params.slug!)
        const { name, path: file } = ctx.params
        const { bytes, type } = workspace.skills.publishedSkills.file(caller, project.slug, name!, file!)
        const isShown = type.startsWith('text/') && bytes.length <= maxShownBytes
        const skill = skillPagePath(project, name!)
        const raw = skillTreePath(project, name!, file!)
        return {
          title: `${file} · ${name} · ${project.name}`,
          content: html`${projectHeader(project, 'skills')}
<p class="trail"><a href="${projectPagePath(project, 'skills')}">Skills</a> / <a href="${skill}"><bdi>${name}</bdi></a> /</p>
<h1><bdi>${file}</bdi></h1>
<div id="skill-file" data-live>
<p class="hint before">${formatBytes(bytes.length)} · <a href="${raw}" download>Download</a></p>
${
  isShown
    ? await code(workspace, caller, file!, bytes.toString())
    : html`<div class="empty"><p>This file cannot be shown here. Download it.</p></div>`
}
</div>`,
          follows: { topics: [`project:${project.id}`] },
          isWide: true,
        }
      }),
    )

const noSkill = html`<div class="empty"><p>No skills yet.</p>
<p>A skill tells agents how to do something: a page named SKILL.md, with the files that it needs.</p></div>`

const row = (project: Project, skill: SkillRecord): Html =>
  html`<li id="skill-${skill.name}"><p class="main"><a \
href="${projectPagePath(project, `skills/${encodeURIComponent(skill.name)}`)}"><bdi>${skill.name}</bdi></a>
${skill.path === null && html` <span class="tag warn">draft</span>`}<br>
<small><bdi>${skill.description}</bdi></small></p><small>${state(skill)}</small></li>
`

const state = ({ version, draftRevision, changedAt }: SkillRecord): Html =>
  html`${version > 0 ? `Version ${version}` : 'Not published'}${draftRevision > 0 && `, draft ${draftRevision}`}, changed \
${dateTime(changedAt)}`

const files = (project: Project, name: string, rows: readonly SkillFile[]): Html =>
  html`<section aria-labelledby="skill-files"><h2 id="skill-files">Files</h2>
<ul class="rows">
${rows.map(
  ({ name: file, size }) =>
    html`<li><p class="main"><a href="${pagePathOf(project, name, file)}"><bdi>${file}</bdi></a></p><small>${formatBytes(size)}</small></li>
`,
)}</ul></section>`

const pagePathOf = (project: Project, skill: string, file: string): string =>
  projectPagePath(project, `skills/${[skill, ...file.split('/')].map(encodeURIComponent).join('/')}`)
