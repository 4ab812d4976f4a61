import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { Question } from '../../../core/plan/question-map.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { type Html, html, Html as Trusted } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'

export async function mapPage(
  workspace: Pick<Workspace, 'asks' | 'directory'>,
  caller: Caller,
  slug: string,
): Promise<Page> {
  const project = requireProject(workspace, caller, slug)
  const {
    asks: { plan },
  } = workspace
  const { questions, drawing, left: remaining } = await plan.questions(caller, project.slug)
  const svg = drawing === null ? null : await plan.drawMap(drawing)
  return {
    title: `Map · ${project.name}`,
    isWide: true,
    content: html`${projectHeader(project, 'map')}
<div class="page-head"><h1>Question map</h1><p class="buttons"><a class="button small second" \
href="${projectPagePath(project, 'plan')}">Plan</a></p></div>
<div id="map" data-live>
${
  svg === null
    ? noQuestions(project)
    : html`<figure class="diagram map">${new Trusted(svg)}</figure>
<div class="single">
${list(
  project,
  'Open',
  questions.filter(({ isDecided }) => !isDecided),
)}
${list(
  project,
  'Decided',
  questions.filter(({ isDecided }) => isDecided),
)}
${remaining > 0 && html`<p class="hint">And ${remaining} more.</p>`}
</div>`
}
</div>`,
    follows: { events: [project.id], topics: [`project:${project.id}`] },
  }
}

const noQuestions = (project: Project): Html => html`<div class="empty"><p>No questions yet.</p>
<p>A question is a card with <code>kind: question</code>, or an ask with options. The map shows which question \
blocks which.</p>
${
  project.archivedMs === null &&
  html`<p><a class="button" href="${projectPagePath(project, 'asks')}#new-ask">Ask a question</a></p>`
}</div>`

function list(project: Project, title: string, questions: readonly Question[]): Html {
  const id = `map-${title.toLowerCase()}`
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${
  questions.length === 0
    ? html`<p class="hint">None.</p>`
    : html`<ul class="rows">${questions.map((question) => row(project, question))}</ul>`
}
</section>`
}

function row(project: Project, { title, number, where, isDecided, answer, blockedBy }: Question): Html {
  const page =
    number === null
      ? `${projectPagePath(project, 'asks')}${isDecided ? '?over=all' : ''}#${where}`
      : projectPagePath(project, `board/${number}`)
  return html`<li><p class="main"><a href="${page}"><bdi>${title}</bdi></a>
<small>${number === null ? 'Ask' : `Card ${number}`}${!isDecided && answer.length > 0 && html` · <bdi>${answer.join(' / ')}</bdi>`}${
    blockedBy.length > 0 &&
    html` · blocked by ${blockedBy.map(
      (blocker, at) =>
        html`${at > 0 && ', '}<a href="${projectPagePath(project, `board/${blocker}`)}">card ${blocker}</a>`,
    )}`
  }</small>
${isDecided && answer.length > 0 && html`<span class="decision" dir="auto">${answer.join(': ')}</span>`}</p></li>
`
}
