import type { DocumentFacts } from '../../../core/documents/model/types.ts'
import { type Html, html } from '../html.ts'
import { ago } from '../moments.ts'

export const documentRow = ({
  id,
  title,
  page,
  author,
  editor,
  publishedAt,
  editedAt,
}: DocumentFacts): Html =>
  html`<li id="${id}"><p class="main"><a href="${page}"><bdi>${title}</bdi></a><br>
<small><bdi>${(editedAt === null ? author : editor).name}</bdi> · ${ago(editedAt ?? publishedAt)}</small></p></li>
`
