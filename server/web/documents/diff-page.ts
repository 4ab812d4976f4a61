import type { TextDiff } from '../../../core/markdown/index.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader } from '../projects/frame.ts'
import { type DocumentContext, projectPartOf } from './document-context.ts'
import { pluralize } from './document-header.ts'
import { restoreButton } from './older-revision.ts'

/** @param after by default the current revision @throws WorkspaceError `not_found` */
export async function diffPage(opened: DocumentContext, before: string, after?: string): Promise<Page> {
  const { workspace, caller, project, address, details } = opened
  const [differences, { revisions }] = await Promise.all([
    workspace.documents.diffs.diff(caller, address, {
      before,
      ...(after !== undefined && { after }),
    }),
    workspace.documents.reads.revisions(caller, address),
  ])
  const named = (revision: string): Html => {
    const row = revisions.find((one) => one.revision === revision)
    const isPresent = revision === details.revision
    const words = isPresent ? 'the current revision' : row ? dateTime(row.at) : revision
    const href = `${details.page}${isPresent ? '' : `?revision=${revision}`}`
    return html`<a href="${href}">${words}</a>${row && html` by <bdi>${row.author}</bdi>`}`
  }
  const isRestorable = details.may.edit && before !== details.revision
  return {
    title: `Changes in ${details.title} · ${project.name}`,
    content: html`${projectHeader(project, projectPartOf[address.folder])}
<div class="single" id="differences" data-live>
<div class="page-head"><h1>Changes in <a href="${details.page}"><bdi>${details.title}</bdi></a></h1>
<p class="buttons"><a class="button small second" href="${details.page}?history">History</a>
${isRestorable && restoreButton(details, before)}</p></div>
<p>From ${named(before)} to ${named(after ?? details.revision)}.</p>
${differences ? differenceTable(differences) : tooDifferent}
</div>`,
  }
}

const tooDifferent = html`<div class="empty"><p>These revisions are too different to compare line by line.</p>
<p>Read each one separately.</p></div>`

function differenceTable({ lines, added, removed, isCut }: TextDiff): Html {
  if (added === 0 && removed === 0) return html`<div class="empty"><p>No differences.</p></div>`
  return html`<p class="hint"><span class="plus">+${pluralize(added, 'line')}</span> <span \
class="minus">−${pluralize(removed, 'line')}</span></p>
<div class="scroller" role="group" aria-label="Differences" tabindex="0">
<table class="differences">
<thead class="unseen"><tr><th>Before</th><th>After</th><th>Change</th><th>Line</th></tr></thead>
<tbody>
${lines.map((line) =>
  line.kind === 'equal'
    ? html`<tr class="equal"><td colspan="4">${pluralize(line.count, 'equal line')}</td></tr>
`
    : html`<tr class="${line.kind}"><td class="number">${line.before}</td><td class="number">${line.after}</td><td \
class="sign">${signs[line.kind]}</td><td class="line" dir="auto">${line.parts.map(({ text, isChanged }) =>
        isChanged ? html`<mark>${text}</mark>` : text,
      )}</td></tr>
`,
)}</tbody>
</table>
</div>
${isCut && html`<p class="hint">Only the first changes are shown.</p>`}`
}

const signs = {
  same: '',
  added: html`<span aria-hidden="true">+</span><span class="unseen">added</span>`,
  removed: html`<span aria-hidden="true">−</span><span class="unseen">removed</span>`,
} as const
