import type { RevisionRow } from '../../../core/documents/model/types.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader } from '../projects/frame.ts'
import { formatBytes } from '../sizes.ts'
import { type DocumentContext, projectPartOf } from './document-context.ts'
import { pluralize } from './document-header.ts'
import { restoreButton } from './older-revision.ts'

const rowsPerPage = 100

export async function historyPage(opened: DocumentContext, asked: number): Promise<Page> {
  const { workspace, caller, project, address, facts } = opened
  const { revisions } = await workspace.documents.reads.revisions(caller, address)
  const pages = Math.max(1, Math.ceil(revisions.length / rowsPerPage))
  const at = Number.isInteger(asked) ? Math.min(Math.max(asked, 1), pages) : 1
  const first = (at - 1) * rowsPerPage
  const shown = revisions.slice(first, first + rowsPerPage)
  return {
    title: `History of ${facts.title} · ${project.name}`,
    content: html`${projectHeader(project, projectPartOf[address.folder])}
<div class="single">
<div class="page-head"><h1>History of <a href="${facts.page}"><bdi>${facts.title}</bdi></a></h1></div>
<form action="${facts.page}" id="history" data-live>
<p class="history-head"><span class="hint">${pluralize(revisions.length, 'revision')}, newest first</span>
${revisions.length > 1 && html`<button class="second small">Compare selected</button>`}</p>
<ol class="rows history">
${shown.map((row, index) => revisionRow(opened, row, { previous: revisions[first + index + 1], isPresent: first + index === 0, index }))}</ol>
${pages > 1 && pageLinks(facts.page, at, pages)}
</form>
</div>`,
  }
}

const ways: Record<string, string> = { api: '', disk: 'on the disk', schedule: 'by schedule' }

function revisionRow(
  { facts }: DocumentContext,
  { revision, at, author, via, bytes }: RevisionRow,
  { previous, isPresent, index }: { previous: RevisionRow | undefined; isPresent: boolean; index: number },
): Html {
  const change = previous ? bytes - previous.bytes : bytes
  return html`<li><p class="choice"><input type="radio" name="diff" value="${revision}" aria-label="Compare from the revision by ${author}"${index === 1 && html` checked`}>
<input type="radio" name="to" value="${revision}" aria-label="Compare to the revision by ${author}"${index === 0 && html` checked`}></p>
<p class="main"><a href="${facts.page}${!isPresent && `?revision=${revision}`}">${dateTime(at)}</a>${isPresent && html` <span class="tag good">present</span>`}<br>
<small><bdi>${author}</bdi>${ways[via] && ` ${ways[via]}`} · ${formatBytes(bytes)}${previous && html` (${change < 0 ? '−' : '+'}${formatBytes(Math.abs(change))})`}</small></p>
<p class="buttons">${previous && html`<a class="button small second" href="${facts.page}?diff=${previous.revision}&to=${revision}">Show changes</a>`}
${!isPresent && facts.may.edit && restoreButton(facts, revision)}</p></li>
`
}

const pageLinks = (page: string, at: number, pages: number): Html => html`<p class="buttons">
${at > 1 && html`<a class="button small second" href="${page}?history&page=${at - 1}">Newer</a>`}
<span class="hint">Page ${at} of ${pages}</span>
${at < pages && html`<a class="button small second" href="${page}?history&page=${at + 1}">Older</a>`}</p>`
