import type { Project } from '../../../core/access/project.ts'
import { filesTreePath } from '../../../core/paths.ts'
import { type Html, html } from '../html.ts'

interface ComposerDeps {
  id: string
  roomId: string
  threadId: string | null
  to: string
  /** The project that attached files go to; null where the room has none. */
  project: Project | null
  /** Those that the reader may choose from where it has none. */
  projects: readonly Project[]
}

/** Where a message is written. What becomes of it is script's to do: `client/rooms/composer.ts`. */
export function composer({ id, roomId, threadId, to, project, projects }: ComposerDeps): Html {
  const takesFiles = project !== null || projects.length > 0
  return html`<form method="dialog" class="composer" id="${id}-form" data-composer="/api/rooms/${roomId}/messages"${threadId !== null && html` data-thread="${threadId}"`}${project && html` data-upload="${filesPath(project)}" data-project="${project.slug}"`} data-keep>
<noscript><p class="notice">JavaScript is required to write messages.</p></noscript>
<p class="offline" role="status"></p>
<div class="uploads" aria-live="polite"></div>
<label class="unseen" for="${id}">${threadId === null ? 'Message' : 'Reply'}</label>
<textarea id="${id}" name="body" rows="1" data-mentions="${roomId}" data-unreached="room:${roomId}" placeholder="Write to ${to}" dir="auto" autocomplete="off"></textarea>
<div class="composer-foot">
${takesFiles && html`<button type="button" class="quiet" data-attach>Attach a file</button><input type="file" multiple hidden aria-label="Files to attach">`}<span class="hint keys">Enter to send, Shift+Enter for a new line</span>
<button>${threadId === null ? 'Send' : 'Reply'}</button>
</div>
</form>
${project === null && projects.length > 0 && choice(id, projects)}`
}

/** Asks into which project's library a file goes that is dropped in a room without one. */
const choice = (id: string, projects: readonly Project[]): Html =>
  html`<dialog id="${id}-where" aria-labelledby="${id}-choose" data-keep><form method="dialog">
<h2 id="${id}-choose">Where should the file go?</h2>
<p class="field"><label for="${id}-project">Files of the project</label><select id="${id}-project">
${projects.map((project) => html`<option value="${filesPath(project)}">${project.name}</option>\n`)}</select></p>
<p class="hint">Only members of the project can open it.</p>
<div class="buttons"><button class="second" value="" formnovalidate>Cancel</button><button value="upload">Upload</button></div>
</form></dialog>
`

const filesPath = (project: Project): string => filesTreePath(project)
