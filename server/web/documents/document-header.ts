import type { Author } from '../../../core/access/member.ts'
import type { DocumentDetails } from '../../../core/documents/model/types.ts'
import { documentsTreePath, memberPagePath, projectPagePath, projectTreePath } from '../../../core/paths.ts'
import { bidiIsolate } from '../bidi-isolate.ts'
import { dateTime, relativeTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import { type DocumentContext, editPath, projectPartOf } from './document-context.ts'

export const person = ({ _id, name, type }: Author): Html =>
  html`<a href="${memberPagePath(_id)}"><bdi>${name}</bdi></a>${type === 'agent' && html` <span class="tag">agent</span>`}`

export function byline({ details }: DocumentContext): Html {
  const isDraft = details.kind === 'draft'
  return html`${
    isDraft && html`<span class="tag warn">Draft</span> visible only to you · `
  }${person(details.author)} · ${dateTime(details.publishedAt)}${edited(details)} · <a \
href="${details.page}?history">${pluralize(details.revisionCount, 'revision')}</a>${
    details.scheduledFor !== null && html` · scheduled for ${dateTime(details.scheduledFor)}`
  }${details.isPinned && html` · <span class="tag good">Pinned</span>`}`
}

const edited = ({ author, editor, editedAt }: DocumentDetails): Html | false =>
  editedAt !== null &&
  html` · edited${
    editor._id !== author._id &&
    html` by <a href="${memberPagePath(editor._id)}"><bdi>${editor.name}</bdi></a>`
  } ${relativeTime(editedAt)}`

export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

export function documentActions({ project, address, details }: DocumentContext): Html {
  const { id, kind, may, page, path, title } = details
  const list = projectPagePath(project, projectPartOf[address.folder])
  return html`<div class="buttons">
${
  may.publish &&
  html`<button class="small" data-call="POST ${path}/_publish" data-then="go:{url}" \
data-confirm="${publishQuestion(details)}" \
data-confirm-button="Publish">Publish</button>`
}
${may.edit && html`<a class="button small second" href="${editPath(project, details)}">Edit</a>`}
<a class="button small second" href="${page}?history">History</a>
<button class="small second" type="button" popovertarget="more-actions" aria-label="More actions">More</button>
<div class="menu-list" id="more-actions" popover>
<button class="item" type="button" data-copy-link hidden>Copy link</button>
<a class="item" href="${path}">View Markdown</a>
${
  kind === 'document' &&
  may.edit &&
  html`<button class="item" type="button" data-rename="${path}" data-folder="${details.filename.split('/').slice(0, -1).join('/')}" \
data-list="${documentsTreePath(project)}" hidden>Rename or move</button>`
}
${
  may.pin &&
  html`<button class="item" data-call="POST /v1/posts/${id}/${details.isPinned ? 'unpin' : 'pin'}">${
    details.isPinned ? 'Unpin' : 'Pin to the top'
  }</button>`
}
${
  may.remove &&
  html`<button class="item bad" data-call="DELETE ${path}" data-then="go:${list}" data-say="Deleted." \
data-undo="POST ${projectTreePath(project, 'trash/{id}/_restore')}" \
data-confirm="${
    kind === 'post'
      ? `Delete “${bidiIsolate(title)}”? Its comments are deleted too.`
      : `Move “${bidiIsolate(title)}” to the trash? It can be restored for 30 days.`
  }" \
data-confirm-button="${kind === 'post' ? 'Delete' : 'Move to trash'}">${kind === 'post' ? 'Delete' : 'Move to trash'}</button>`
}
</div>
</div>`
}

function publishQuestion({ title, unreached }: DocumentContext['details']): string {
  const question = `Publish “${bidiIsolate(title)}”? Everyone in the project can read it, and it cannot be changed afterwards.`
  if (unreached.length === 0) return question
  return `${question} Some mentioned members will not be notified: ${unreached.map(({ reason }) => reason).join(' ')}`
}
