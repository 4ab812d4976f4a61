import type { Member } from '../../../core/access/member.ts'
import type { PresentMember } from '../../../core/documents/model/types.ts'
import { bidiIsolate } from '../bidi-isolate.ts'
import { type Html, html } from '../html.ts'

/** Other members in the document. The script shows at which block each is. */
export const hereSection = (here: readonly PresentMember[], reader: Member): Html =>
  html`<div id="here" data-live>${presentMembers(here, reader)}</div>`

function presentMembers(here: readonly PresentMember[], reader: Member): Html | false {
  const others = here.filter(({ memberId }) => memberId !== reader.id)
  if (others.length === 0) return false
  return html`<ul class="here" aria-label="Here now">
${others.map(
  ({ memberId, name, kind, block }) =>
    html`<li id="here-${memberId}" class="${kind}" title="${bidiIsolate(name)} ${activityText[kind]}"${
      block !== null && html` data-at="${block}"`
    } data-name="${name}"><span aria-hidden="true">${initialsOf(name)}</span><span \
class="unseen"><bdi>${name}</bdi> ${activityText[kind]}</span></li>
`,
)}</ul>`
}

const activityText: Record<PresentMember['kind'], string> = { viewing: 'is reading', editing: 'is editing' }

export function initialsOf(name: string): string {
  // Bidirectional control characters are not letters.
  const words = name
    .replace(/\p{C}/gu, '')
    .split(/[\s-]+/)
    .filter((word) => word !== '')
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined]
  return letters
    .map((word) => (word === undefined ? '' : String.fromCodePoint(word.codePointAt(0)!).toUpperCase()))
    .join('')
}
