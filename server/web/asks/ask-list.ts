import type { AskView } from '../../../core/asks/types.ts'
import { memberPagePath } from '../../../core/paths.ts'
import { relativeTime } from '../dates.ts'
import { type Html, html, Html as Trusted } from '../html.ts'
import { askActions } from './ask-actions.ts'
import type { AskContext } from './ask-reader.ts'

export async function askList(reader: AskContext, title: string, asks: readonly AskView[]): Promise<Html> {
  const sources = asks.flatMap(({ _id, title, body, resolution, projectId }) => [
    { key: `title ${_id}`, body: title, projectId },
    ...(body === '' ? [] : [{ key: `body ${_id}`, body, projectId }]),
    ...(resolution === null ? [] : [{ key: `resolution ${_id}`, body: resolution, projectId }]),
  ])
  const texts = await reader.workspace.rendering.texts.html(reader.caller, sources)
  const render = (key: string) => new Trusted(texts.get(key) ?? '')
  const id = `asks-${title.toLowerCase()}`
  return html`<section class="asks" aria-labelledby="${id}">
<h2 id="${id}">${title} ${asks.length > 0 && html`<span class="count soft">${asks.length}</span>`}</h2>
${asks.map((ask) => askItem(reader, ask, render))}
</section>`
}

function askItem(reader: AskContext, ask: AskView, render: (key: string) => Html): Html {
  const { _id: id, body, resolution, chosenOption } = ask
  return html`<article class="ask ${ask.state}" id="${id}" aria-labelledby="title-${id}">
<h3 class="said" id="title-${id}">${render(`title ${id}`)}</h3>
<p class="byline">${bylineOf(reader, ask)}</p>
${body !== '' && html`<div class="said prose">${render(`body ${id}`)}</div>`}
${chosenOption !== null && html`<p class="answered"><bdi>${chosenOption}</bdi></p>`}
${resolution !== null && html`<div class="said prose resolution">${render(`resolution ${id}`)}</div>`}
${askActions(reader, ask)}
</article>
`
}

const states: Record<AskView['state'], Html | false> = {
  open: false,
  claimed: html`<span class="tag warn">Claimed</span> `,
  resolved: html`<span class="tag good">Resolved</span> `,
  cancelled: html`<span class="tag">Cancelled</span> `,
}

function bylineOf({ workspace, resolvers }: AskContext, ask: AskView): Html {
  const { _id: id, state, kind, createdBy, createdAt, assignees, claimedBy, updatedAt } = ask
  const person = (id: string) =>
    html`<a href="${memberPagePath(id)}"><bdi>${workspace.directory.members.find(id)?.name}</bdi></a>`
  return html`${states[state]}${kind === 'question' ? 'A question by' : 'Asked by'} ${person(createdBy)} ${relativeTime(createdAt)}${
    assignees.length > 0 && html` · for ${assignees.map((id, at) => html`${at > 0 && ', '}${person(id)}`)}`
  }${state === 'claimed' && html` · claimed by ${person(claimedBy!)}`}${
    (state === 'resolved' || state === 'cancelled') &&
    html` · ${state}${state === 'resolved' && resolvers.has(id) && html` by <bdi>${resolvers.get(id)}</bdi>`} ${relativeTime(updatedAt)}`
  }`
}
