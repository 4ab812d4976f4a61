import type { Project } from '../../../core/access/project.ts'
import type { DocumentDetails } from '../../../core/documents/model/types.ts'
import { projectPagePath } from '../../../core/paths.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'

const notEditablePage = (project: Project, title: string, words: Html): Page => ({
  title: `${title} · ${project.name}`,
  content: html`<p class="trail"><a href="/projects">Projects</a> / <a href="${projectPagePath(project)}"><bdi>${project.name}</bdi></a></p>
<h1>${title}</h1>
${words}`,
})

/** A browser could not send these bytes back unchanged. */
export const homeNotUtf8Page = (project: Project): Page =>
  notEditablePage(
    project,
    'The home page cannot be edited here',
    html`<p>The file <code>README.md</code> in the project’s folder, <code>projects/${project.folder}/</code>, is not UTF-8, or
contains invalid characters, so editing it here would damage it. Convert it to UTF-8 in the folder.</p>
<p class="buttons"><a class="button" href="${projectPagePath(project)}">Back</a></p>`,
  )

export const publishedPostPage = (project: Project, { page, title }: DocumentDetails): Page =>
  notEditablePage(
    project,
    'Published posts cannot be changed',
    html`<p>People may already have read “<a href="${page}"><bdi>${title}</bdi></a>”, so it cannot be changed. Add a
comment, or write a new post.</p>
<p class="buttons"><a class="button" href="${page}#comments">Comment on it</a>
<a class="button second" href="${projectPagePath(project, 'new')}?kind=post">Write a new post</a></p>`,
  )

export const archivedProjectPage = (project: Project, page: string): Page =>
  notEditablePage(
    project,
    'This project is archived',
    html`<p>This project is archived and read-only. Its leads, owners and admins can reopen it in its
<a href="${projectPagePath(project, 'settings')}">settings</a>.</p>
<p class="buttons"><a class="button" href="${page}">Back</a></p>`,
  )

/** A browser could not send these bytes back unchanged. */
export const notUtf8Page = (project: Project, { page, path, title }: DocumentDetails): Page =>
  notEditablePage(
    project,
    'This file cannot be edited here',
    html`<p>“<bdi>${title}</bdi>” is not UTF-8, or contains invalid characters, so editing it here would damage it.
Convert it to UTF-8 in the project’s folder. Then it can be shown here.</p>
<p class="buttons"><a class="button" href="${page}">Back</a> <a class="button second" href="${path}">Show the file</a></p>`,
  )
