import type { ActivityChange, ActivityEntry } from '../../../core/documents/reading/activity.ts'
import { dateTime, relativeTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader } from '../projects/frame.ts'
import { type DocumentContext, projectPartOf } from './document-context.ts'
import { person } from './document-header.ts'

const shownOnPage = 8
const rowsPerPage = 50

/** After a longer pause, edits by one member are listed apart. */
const pauseMs = 30 * 60 * 1000

const maxTasks = 3
const maxValueLength = 80

export async function activitySection({
  workspace,
  caller,
  address,
  details,
}: DocumentContext): Promise<Html> {
  const { entries, hasOlder } = await workspace.documents.activity.page(caller, address, {
    page: 1,
    size: shownOnPage,
  })
  return html`<section class="activity" id="activity" aria-labelledby="activity-title" data-live>
<h2 id="activity-title">Activity</h2>
${entryList(entries, relativeTime)}
${hasOlder && html`<p><a href="${details.page}?activity">Show all activity</a></p>`}
</section>`
}

export async function activityPage(opened: DocumentContext, requestedPage: number): Promise<Page> {
  const { workspace, caller, project, address, details } = opened
  const at = Number.isSafeInteger(requestedPage) && requestedPage > 0 ? Math.min(requestedPage, 10_000) : 1
  const { entries, hasOlder } = await workspace.documents.activity.page(caller, address, {
    page: at,
    size: rowsPerPage,
  })
  return {
    title: `Activity of ${details.title} · ${project.name}`,
    content: html`${projectHeader(project, projectPartOf[address.folder])}
<div class="single">
<div class="page-head"><h1>Activity of <a href="${details.page}"><bdi>${details.title}</bdi></a></h1></div>
<div class="activity" id="activity" data-live>
${entries.length > 0 ? entryList(entries, dateTime) : html`<p class="hint">No earlier activity.</p>`}
<p class="buttons">${at > 1 && html`<a class="button small second" href="${details.page}?activity&page=${at - 1}">Newer</a>`} ${
      hasOlder &&
      html`<a class="button small second" href="${details.page}?activity&page=${at + 1}">Older</a>`
    }</p>
</div>
</div>`,
  }
}

const entryList = (entries: readonly ActivityEntry[], shownTime: (timeMs: number) => Html): Html =>
  html`<ol class="activity-list">${mergedEdits(entries).map(
    ({
      by,
      via,
      changes,
      atMs,
    }) => html`<li>${namesOf(by)} ${wordsOf(changes)}${ways[via]}<small> · ${shownTime(atMs)}</small></li>
`,
  )}</ol>`

const ways: Record<ActivityEntry['via'], string> = { api: '', disk: ' on disk', schedule: ' by schedule' }

/** Merges successive edits by the same members. */
function mergedEdits(entries: readonly ActivityEntry[]): ActivityEntry[] {
  const merged: ActivityEntry[] = []
  let oldestMs = 0
  for (const entry of entries) {
    const last = merged.at(-1)
    const isSame =
      last &&
      isEdit(last) &&
      isEdit(entry) &&
      last.via === entry.via &&
      idsOf(last) === idsOf(entry) &&
      oldestMs - entry.atMs < pauseMs
    if (!isSame) merged.push(entry)
    oldestMs = entry.atMs
  }
  return merged
}

const isEdit = ({ changes }: ActivityEntry): boolean => changes.every(({ kind }) => kind === 'text')

const idsOf = ({ by }: ActivityEntry): string => by.map(({ _id }) => _id).join(' ')

const namesOf = (people: ActivityEntry['by']): Html => listed(people.map(person))

const wordsOf = (changes: readonly ActivityChange[]): Html => listed(changes.map(changeWords))

const listed = (parts: readonly Html[]): Html =>
  html`${parts.map((part, at) => html`${at > 0 && (at === parts.length - 1 ? ' and ' : ', ')}${part}`)}`

function changeWords(change: ActivityChange): Html {
  switch (change.kind) {
    case 'created':
      return html`created it`
    case 'text':
      return html`edited the text`
    case 'renamed':
      return html`renamed it from “${value(change.from)}”`
    case 'tasks':
      return listed([...taskWords('ticked', change.done), ...taskWords('reopened', change.reopened)])
    case 'field':
      return fieldWords(change)
    case 'moved':
      return change.isFromOtherProject
        ? html`moved it here from another project`
        : html`moved it from ${value(change.from)} to ${value(change.to)}`
    case 'published':
      return html`published it`
    case 'deleted':
      return html`moved it to the trash`
    case 'restored':
      return html`restored it from the trash`
    case 'commented':
      return html`<a href="?at=${change.commentId}#${change.commentId}">commented</a>`
  }
}

function taskWords(verb: string, tasks: readonly string[]): Html[] {
  if (tasks.length === 0) return []
  const others = tasks.length - maxTasks
  const shown = tasks.slice(0, maxTasks).map((text) => html`“${value(text)}”`)
  return [html`${verb} ${listed(others > 0 ? [...shown, html`${others} more`] : shown)}`]
}

const fieldNames: Record<string, string> = { due: 'due date', 'blocked-by': 'cards that block it' }

function fieldWords({ field, from, to }: ActivityChange & { kind: 'field' }): Html {
  const name = fieldNames[field] ?? field
  if (Array.isArray(to ?? from)) {
    const [before, after] = [textsIn(from), textsIn(to)]
    const added = after.filter((one) => !before.includes(one))
    const removed = before.filter((one) => !after.includes(one))
    const verbs =
      field === 'assignees' ? ['assigned', 'unassigned'] : [`added to ${name}:`, `removed from ${name}:`]
    const parts = [
      ...(added.length > 0 ? [html`${verbs[0]} ${value(added.join(', '))}`] : []),
      ...(removed.length > 0 ? [html`${verbs[1]} ${value(removed.join(', '))}`] : []),
    ]
    return parts.length > 0 ? listed(parts) : html`sorted ${name}`
  }
  if (to === null) return html`removed the ${name}`
  if (field === 'resolution') return html`answered “${value(to)}”`
  return html`set the ${name} to ${value(to)}`
}

const textsIn = (list: unknown): string[] => (Array.isArray(list) ? list.map(textOf) : [])

const textOf = (one: unknown): string => (typeof one === 'object' ? JSON.stringify(one) : String(one))

function value(one: unknown): Html {
  const characters = [...textOf(one)]
  const isLong = characters.length > maxValueLength
  return html`<bdi>${isLong ? `${characters.slice(0, maxValueLength).join('')}…` : characters.join('')}</bdi>`
}
