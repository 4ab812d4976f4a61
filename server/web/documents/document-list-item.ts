import type { DocumentDetails } from '../../../core/documents/model/types.ts'
import { relativeTime } from '../dates.ts'
import { type Html, html } from '../html.ts'

export const documentListItem = ({
  id,
  title,
  page,
  author,
  editor,
  publishedAt,
  editedAt,
}: DocumentDetails): Html =>
  html`<li id="${id}"><p class="main"><a href="${page}"><bdi>${title}</bdi></a><br>
<small><bdi>${(editedAt === null ? author : editor).name}</bdi> · ${relativeTime(editedAt ?? publishedAt)}</small></p></li>
`
