import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import type { AskDetails } from '../../../core/asks/ask-details.ts'
import type { PlannedCard } from '../../../core/documents/model/types.ts'
import { planTreePath, projectPagePath } from '../../../core/paths.ts'
import type { PlanEntry } from '../../../core/plan/plan-data.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { type Html, html, Html as Trusted } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'

const maxShown = 100

/** The goal can be edited; the rest comes from cards and asks. */
export async function planPage(
  workspace: Pick<Workspace, 'asks' | 'directory' | 'rendering'>,
  caller: Caller,
  slug: string,
): Promise<Page> {
  const project = requireProject(workspace, caller, slug)
  const { goal, decided, open, inFlight, revision } = await workspace.asks.plan.data(caller, project.slug)
  const rendered = await workspace.rendering.texts.html(caller, [
    { key: 'goal', body: goal, projectId: project.id },
  ])
  const entryOf = (entry: PlanEntry) =>
    entry.kind === 'card' ? cardEntry(project, entry.card) : askEntry(project, entry.ask)
  return {
    title: `Plan · ${project.name}`,
    kind: 'plan',
    content: html`${projectHeader(project, 'plan')}
<div class="page-head"><h1>Plan</h1><p class="buttons"><a class="button small second" \
href="${projectPagePath(project, 'map')}">Question map</a></p></div>
<section class="goal sheet" aria-labelledby="goal-title">
<h2 id="goal-title">The goal</h2>
<div id="goal" data-live data-revision="${revision}" data-source="${goal}">${
      goal === ''
        ? html`<p class="hint">No goal yet. What will be true when this project is done?</p>`
        : html`<div class="said prose">${new Trusted(rendered.get('goal')!)}</div>`
    }</div>
${project.archivedMs === null && goalForm(project, goal, revision)}
</section>
<div id="plan" data-live>
${section('In flight', inFlight.map(entryOf), 'Nothing in flight. Move a card to In progress or claim an ask.')}
${section('Still open', open.map(entryOf), 'No open questions.')}
${section('Decided', decided.map(entryOf), 'Nothing decided yet. Answered questions appear here.')}
</div>`,
    follows: { events: [project.id], topics: [`project:${project.id}`] },
  }
}

const goalForm = (project: Project, goal: string, revision: string): Html =>
  html`<details class="more-steps" id="goal-edit">
<summary>${goal === '' ? 'Set the goal' : 'Change the goal'}</summary>
<form method="dialog" id="goal-form" data-path="${planTreePath(project)}" data-revision="${revision}">
<p class="field"><label for="goal-text">The goal</label>
<textarea id="goal-text" name="goal" rows="6" dir="auto">${goal}</textarea></p>
<p class="buttons"><button class="small">Save</button></p>
</form>
</details>`

function section(title: string, entries: readonly Html[], empty: string): Html {
  const id = `plan-${title.toLowerCase().replace(' ', '-')}`
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title} ${entries.length > 0 && html`<span class="count soft">${entries.length}</span>`}</h2>
${entries.length === 0 ? html`<p class="hint">${empty}</p>` : html`<ul class="rows">${entries.slice(0, maxShown)}</ul>`}
${entries.length > maxShown && html`<p class="hint">And ${entries.length - maxShown} more.</p>`}
</section>`
}

function cardEntry(project: Project, card: PlannedCard): Html {
  const { number, title, resolution, assignees, isQuestion, isClosed } = card
  return html`<li><p class="main"><a href="${projectPagePath(project, `board/${number}`)}"><bdi>${title}</bdi></a>
<small>Card ${number}${isQuestion && ', a question'}${
    !isQuestion && html` · ${assignees.length > 0 ? html`<bdi>${assignees.join(', ')}</bdi>` : 'nobody'}`
  }</small>
${isClosed && resolution !== null && html`<span class="decision" dir="auto">${resolution}</span>`}</p></li>
`
}

function askEntry(
  project: Project,
  { id, title, kind, askedBy, claimedBy, resolvedBy, answer, options }: AskDetails,
): Html {
  const by = resolvedBy ?? claimedBy ?? askedBy
  const verb = resolvedBy !== null ? 'Resolved by' : claimedBy !== null ? 'Claimed by' : 'Asked by'
  const asks = projectPagePath(project, 'asks')
  return html`<li><p class="main"><a href="${asks}${resolvedBy !== null && '?over=all'}#${id}"><bdi>${title}</bdi></a>
<small>${verb} <bdi>${by}</bdi>${kind === 'question' && resolvedBy === null && html` · <bdi>${options.join(' / ')}</bdi>`}</small>
${resolvedBy !== null && answer.length > 0 && html`<span class="decision" dir="auto">${answer.join(': ')}</span>`}</p></li>
`
}
