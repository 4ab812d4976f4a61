import type { Project } from '../../../core/access/project.ts'
import { serverKeys } from '../../../core/markdown/index.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { EditorDetails } from '../../client/editor/editor-details.ts'
import { type Html, html } from '../html.ts'
import { icon } from '../icons.ts'

/** What each editor page sets; the frame adds the rest. */
export type EditorPageData = Omit<EditorDetails, 'serverKeys'>

export const newNonce = ({ random }: Pick<Workspace, 'random'>): string =>
  Buffer.from(random(18)).toString('base64url')

const tools = [
  ['bold', 'Bold', 'Control+B'],
  ['italic', 'Italic', 'Control+I'],
  ['heading', 'Heading', null],
  ['list', 'List', null],
  ['code', 'Code', null],
  ['link', 'Link', 'Control+K'],
] as const

/** The editor with its toolbar. Without script the text can only be read. */
export function editorFrame(
  project: Project,
  editor: EditorPageData,
  { heading, fields, text }: { heading: Html; fields: Html | null; text: string },
): Html {
  const { kind, back } = editor
  const isPublishable = kind === 'draft' || kind === 'post'
  return html`<p class="trail"><a href="/projects">Projects</a> / <a \
href="${projectPagePath(project)}"><bdi>${project.name}</bdi></a> / <a \
href="${projectPagePath(project, lists[kind].part)}">${lists[kind].name}</a></p>
<section class="editor" aria-labelledby="editor-title" \
data-editor="${JSON.stringify({ ...editor, serverKeys: [...serverKeys] } satisfies EditorDetails)}">
<div class="editor-head">
${heading}
<p class="editor-state" role="status"></p>
<div class="buttons" data-ready hidden>
<a class="button second small" href="${back}" data-close>Close</a>
<button type="button" class="small second" data-do="save" \
aria-keyshortcuts="Control+S">${kind === 'post' ? 'Save as draft' : 'Save'}</button>
${
  isPublishable
    ? html`<button type="button" class="small" data-do="publish">Publish</button>`
    : html`<button type="button" class="small" data-do="finish">Save and close</button>`
}
</div>
</div>
<div class="editor-notices"></div>
${fields && html`<div data-ready hidden>${fields}</div>`}
<noscript>
<p class="notice">The editor requires JavaScript. You can also edit the file in the project’s folder or through the API.</p>
${withoutScript(editor, text)}
</noscript>
<div class="editor-panes" data-shows="write">
<div class="editor-views" data-ready hidden>
<button type="button" class="small second" data-show="write" aria-pressed="true">Write</button>
<button type="button" class="small second" data-show="preview" aria-pressed="false">Preview</button>
</div>
<div class="editor-write">
<div class="editor-tools" role="toolbar" aria-label="Format" data-ready hidden>
${tools.map(
  ([name, words, keys]) =>
    html`<button type="button" data-do="${name}" aria-label="${words}" title="${words}"${
      keys !== null && html` aria-keyshortcuts="${keys}"`
    }>${icon(name)}</button>
`,
)}<button type="button" data-do="attach" aria-label="Attach files" title="Attach files">${icon('attach')}</button>
<input type="file" multiple hidden data-files>
</div>
<div class="editor-uploads" aria-live="polite"></div>
<div class="editor-text"></div>
</div>
<div class="editor-preview prose" role="region" aria-label="Preview" tabindex="0" data-ready hidden></div>
</div>
</section>`
}

const lists: Record<EditorDetails['kind'], { part: string; name: string }> = {
  document: { part: 'docs', name: 'Documents' },
  draft: { part: 'drafts', name: 'Drafts' },
  post: { part: 'posts', name: 'Posts' },
  card: { part: 'board', name: 'Board' },
}

/** UTF-16 code units. Longer text would be sent twice for the few readers without script. */
const maxTextShown = 200_000

function withoutScript({ path }: EditorPageData, text: string): Html | null {
  if (path === null) return null
  if (text.length > maxTextShown) return html`<p><a href="${path}">Show source</a></p>`
  return html`<textarea readonly aria-label="Source" dir="auto" rows="24">
${text}</textarea>`
}
