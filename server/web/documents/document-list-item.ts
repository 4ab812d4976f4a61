import type { DocumentDetails } from '../../../core/documents/model/types.ts'
import { relativeTime } from '../dates.ts'
import { type Html, html } from '../html.ts'

export const documentListItem = (document: DocumentDetails): Html =>
  html`<li id="${document.id}">${documentSummary(document)}</li>
`

/** Can be dragged into a folder of the list (`server/client/documents/dragging.ts`). */
export const movableDocumentItem = (document: DocumentDetails): Html =>
  html`<li id="${document.id}" data-document="${document.path}" data-title="${document.title}" \
data-folder-of="${document.filename.split('/').slice(0, -1).join('/')}">${documentSummary(document)}</li>
`

const documentSummary = ({ title, page, author, editor, publishedAt, editedAt }: DocumentDetails): Html =>
  html`<p class="main"><a href="${page}"><bdi>${title}</bdi></a><br>
<small><bdi>${(editedAt === null ? author : editor).name}</bdi> · ${relativeTime(editedAt ?? publishedAt)}</small></p>`
