import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import type { DocumentContext } from './document-context.ts'

export async function olderRevisionNotice(
  { workspace, caller, address, details }: DocumentContext,
  revision: string,
): Promise<Html> {
  const { revisions } = await workspace.documents.reads.revisions(caller, address)
  const row = revisions.find((one) => one.revision === revision)
  return html`<div class="notice warn older">
<p>This is an older revision${row && html`, as <bdi>${row.author}</bdi> left it ${dateTime(row.at)}`}.</p>
<p class="buttons"><a class="button small second" href="${details.page}">View current revision</a>
<a class="button small second" href="${details.page}?diff=${revision}">Show changes since</a>
${details.may.edit && restoreButton(details, revision)}</p>
</div>`
}

export const restoreButton = ({ page, path }: DocumentContext['details'], revision: string): Html =>
  html`<button type="button" class="small second" data-call="POST ${path}/_restore" data-json="${JSON.stringify({ revision })}" \
data-then="go:${page}" data-confirm="Restore this revision? The current text stays in the history." \
data-confirm-button="Restore">Restore</button>`
