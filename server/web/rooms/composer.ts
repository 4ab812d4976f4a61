import type { Project } from '../../../core/access/project.ts'
import { type Html, html } from '../html.ts'

interface ComposerDeps {
  id: string
  roomId: string
  threadId: string | null
  to: string
  /** The project whose documents are offered for links; null for all projects. */
  project: Project | null
}

/** Works only with its script, `server/client/rooms/composer.ts`. */
export const composer = ({ id, roomId, threadId, to, project }: ComposerDeps): Html =>
  html`<form method="dialog" class="composer" id="${id}-form" data-composer="/api/rooms/${roomId}/messages"${
    threadId !== null && html` data-thread="${threadId}"`
  } data-upload="/api/rooms/${roomId}/attachments"${project && html` data-project="${project.slug}"`} data-keep>
<noscript><p class="notice">JavaScript is required to write messages.</p></noscript>
<p class="offline" role="status"></p>
<div class="uploads" aria-live="polite"></div>
<label class="unseen" for="${id}">${threadId === null ? 'Message' : 'Reply'}</label>
<textarea id="${id}" name="body" rows="1" data-mentions="${roomId}" data-unreached="room:${roomId}" placeholder="Write to ${to}" \
dir="auto" autocomplete="off"></textarea>
<div class="composer-foot">
<button type="button" class="quiet" data-attach>Attach a file</button><input type="file" multiple hidden \
aria-label="Files to attach"><span class="hint keys">Enter to send, Shift+Enter for a new line</span>
<button>${threadId === null ? 'Send' : 'Reply'}</button>
</div>
</form>`
