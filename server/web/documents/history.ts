import type { RevisionRow } from '../../../core/documents/model/types.ts'
import { formatBytes } from '../../../core/text/format-bytes.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader } from '../projects/frame.ts'
import { type DocumentContext, projectPartOf } from './document-context.ts'
import { pluralize } from './document-header.ts'
import { restoreButton } from './older-revision.ts'

const rowsPerPage = 100

/** A longer pause between revisions begins a new sitting. */
const pauseMs = 30 * 60 * 1000

export async function historyPage(opened: DocumentContext, requestedPage: number): Promise<Page> {
  const { workspace, caller, project, address, details } = opened
  const { revisions } = await workspace.documents.reads.revisions(caller, address)
  const pages = Math.max(1, Math.ceil(revisions.length / rowsPerPage))
  const at = Number.isInteger(requestedPage) ? Math.min(Math.max(requestedPage, 1), pages) : 1
  const first = (at - 1) * rowsPerPage
  const shown = revisions.slice(first, first + rowsPerPage)
  return {
    title: `History of ${details.title} · ${project.name}`,
    content: html`${projectHeader(project, projectPartOf[address.folder])}
<div class="single">
<div class="page-head"><h1>History of <a href="${details.page}"><bdi>${details.title}</bdi></a></h1></div>
<form action="${details.page}" id="history" data-live>
<p class="history-head"><span class="hint">${pluralize(revisions.length, 'revision')}, newest first</span>
${revisions.length > 1 && html`<button class="second small">Compare selected</button>`}</p>
<ol class="rows history">
${sittingsOf(shown).map((rows, place, all) => {
  const firstRow = first + countBefore(all, place)
  return sittingItem(opened, { rows, place, firstRow, revisions })
})}</ol>
${pages > 1 && pageLinks(details.page, at, pages)}
</form>
</div>`,
  }
}

const ways: Record<string, string> = { api: '', disk: 'on disk', schedule: 'by schedule' }

/** Groups what one member wrote in one way without a longer pause, newest first. */
function sittingsOf(rows: readonly RevisionRow[]): RevisionRow[][] {
  const sittings: RevisionRow[][] = []
  for (const row of rows) {
    const last = sittings.at(-1)?.at(-1)
    const isSame = last && last.author === row.author && last.via === row.via && last.at - row.at < pauseMs
    if (isSame) sittings.at(-1)!.push(row)
    else sittings.push([row])
  }
  return sittings
}

const countBefore = (sittings: readonly RevisionRow[][], place: number): number =>
  sittings.slice(0, place).reduce((total, rows) => total + rows.length, 0)

interface Sitting {
  rows: readonly RevisionRow[]
  place: number
  /** Index of its newest revision among all. */
  firstRow: number
  revisions: readonly RevisionRow[]
}

/** The newest revision, with the changes of the whole sitting, and within it the others. */
function sittingItem(opened: DocumentContext, { rows, place, firstRow, revisions }: Sitting): Html {
  const earlier = rows.slice(1)
  const newest = {
    previous: revisions[firstRow + rows.length] ?? earlier.at(-1),
    isPresent: firstRow === 0,
    chosen: place === 0 ? 'to' : place === 1 ? 'diff' : null,
  } as const
  const others = earlier.map((row, index) =>
    revisionRow(opened, row, {
      previous: revisions[firstRow + index + 2],
      isPresent: false,
      chosen: place === 0 && index === 0 && rows.length === revisions.length ? 'diff' : null,
    }),
  )
  const id = `sitting-${rows[0]!.revision}`
  return html`<li>${revisionRow(opened, rows[0]!, newest)}
${
  others.length > 0 &&
  html`<details class="sitting" id="${id}"${
    place === 0 && html` open`
  }><summary>${pluralize(others.length, 'earlier revision')} by <bdi>${rows[0]!.author}</bdi></summary><ol \
class="rows">${others.map((row) => html`<li>${row}</li>`)}</ol></details>`
}</li>
`
}

interface RowOptions {
  /** The revision to compare with. */
  previous: RevisionRow | undefined
  isPresent: boolean
  chosen: 'diff' | 'to' | null
}

function revisionRow(
  { details }: DocumentContext,
  { revision, at, author, writers, via, bytes }: RevisionRow,
  { previous, isPresent, chosen }: RowOptions,
): Html {
  const change = previous ? bytes - previous.bytes : bytes
  return html`<div class="revision"><p class="choice"><input type="radio" name="diff" value="${revision}" \
aria-label="Compare from the revision by ${author}"${chosen === 'diff' && html` checked`}>
<input type="radio" name="to" value="${revision}" aria-label="Compare to the revision by ${author}"${chosen === 'to' && html` checked`}></p>
<p class="main"><a href="${details.page}${!isPresent && `?revision=${revision}`}">${dateTime(at)}</a>${
    isPresent && html` <span class="tag good">current</span>`
  }<br>
<small>${namesOf(writers ?? [author])}${ways[via] && ` ${ways[via]}`} · ${formatBytes(bytes)}${
    previous && html` (${change < 0 ? '−' : '+'}${formatBytes(Math.abs(change))})`
  }</small></p>
<p class="buttons">${
    previous &&
    html`<a class="button small second" href="${details.page}?diff=${previous.revision}&to=${revision}">Show changes</a>`
  }
${!isPresent && details.may.edit && restoreButton(details, revision)}</p></div>`
}

const namesOf = (names: readonly string[]): Html =>
  html`${names.map((name, index) => html`${index > 0 && (index === names.length - 1 ? ' and ' : ', ')}<bdi>${name}</bdi>`)}`

const pageLinks = (page: string, at: number, pages: number): Html => html`<p class="buttons">
${at > 1 && html`<a class="button small second" href="${page}?history&page=${at - 1}">Newer</a>`}
<span class="hint">Page ${at} of ${pages}</span>
${at < pages && html`<a class="button small second" href="${page}?history&page=${at + 1}">Older</a>`}</p>`
