import { isUtf8 } from 'node:buffer'
import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { emptyBody, readAll } from '../../../core/mount/bytes.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { html } from '../html.ts'
import type { Page } from '../pages.ts'
import { archivedProjectPage, homeNotUtf8Page } from './not-editable.ts'

type Mounting = Pick<Workspace, 'files'>

interface HomeFile {
  bytes: Buffer
  /** Identifies the bytes; '' if there is no file. */
  tag: string
}

const namesOf = ({ slug }: Project) => ['projects', slug, 'README.md']

async function homeFile({ files: { mount } }: Mounting, caller: Caller, project: Project): Promise<HomeFile> {
  const file = await mount.find(caller, namesOf(project))
  if (file?.kind !== 'file') return { bytes: Buffer.alloc(0), tag: '' }
  return { bytes: await readAll(file.size > 0 ? file.stream() : emptyBody()), tag: file.tag }
}

/** Edits the complete text of README.md. */
export async function editHomePage(workspace: Mounting, caller: Caller, project: Project): Promise<Page> {
  if (project.archivedMs !== null) return archivedProjectPage(project, projectPagePath(project))
  const { bytes, tag } = await homeFile(workspace, caller, project)
  if (!isUtf8(bytes) || bytes.includes(0)) return homeNotUtf8Page(project)
  return {
    title: `Home page · ${project.name}`,
    content: html`<p class="trail"><a href="/projects">Projects</a> / <a \
href="${projectPagePath(project)}"><bdi>${project.name}</bdi></a></p>
<h1>Home page</h1>
<form method="dialog" class="stack" id="home-form" data-live \
data-call="PUT ${projectPagePath(project)}/home?expected=${encodeURIComponent(tag)}" data-raw="text" \
data-then="go:${projectPagePath(project)}" \
data-conflict="Someone else has changed the home page. The saved version is shown below yours. Copy what you need and save again.">
<div class="field"><label for="home-text">Purpose, people, and where to find things</label>
<textarea id="home-text" name="text" class="mono" rows="20" dir="auto" spellcheck="true" data-empty="text" aria-describedby="home-hint">
${bytes.toString()}</textarea>
<p class="hint" id="home-hint">Markdown. It is the file <code>README.md</code> in the project’s folder, \
<code>projects/${project.folder}/</code>. You can also edit it there.</p></div>
<p class="buttons"><button>Save</button> <a class="button second" href="${projectPagePath(project)}">Close</a></p>
</form>`,
    follows: { events: [project.id] },
  }
}

/**
 * Keeps the file's line ends.
 * @param expected the edited file's tag, '' for none
 * @param read called once writing is allowed
 * @throws WorkspaceError `conflict` for another tag or an archived project; as `Mount.put`
 */
export async function saveHomePage(
  workspace: Mounting,
  caller: Caller,
  project: Project,
  { expected, read }: { expected: string; read: (limitBytes: number) => Promise<Buffer> },
): Promise<void> {
  const { bytes } = await homeFile(workspace, caller, project)
  const isCrLf = bytes.includes('\r\n')
  async function* text(limitBytes: number): AsyncGenerator<Uint8Array> {
    const sent = (await read(limitBytes)).toString().replace(/\r\n?/g, '\n')
    yield Buffer.from(isCrLf ? sent.replaceAll('\n', '\r\n') : sent)
  }
  try {
    await workspace.files.mount.put(caller, namesOf(project), text, (tag) => (tag ?? '') === expected)
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.code !== 'precondition_failed') throw error
    throw new WorkspaceError('conflict', 'Someone else has changed the home page. Reload it.')
  }
}
