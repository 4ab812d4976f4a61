import type { Tree } from '../../data/tree/index.ts'
import { asHeading } from '../heading.ts'
import type { Project } from './types.ts'

/** The folders of a new project, within its own. */
const folders = [
  'posts',
  'drafts',
  'documents',
  'board/01-triage',
  'board/02-todo',
  'board/03-in-progress',
  'board/04-done',
]

/**
 * The file in a project's folder that says whose folder it is: the project's id and a line end. Where it is missing,
 * what is on the disk is not the project, but perhaps the place where a disk is to be mounted.
 */
export const markerName = '.workroom'

/**
 * Makes the folders of a project, with its marker and its first files. What a person has put there stays as it is.
 * @param options `readme`: text of the home page, null for none; `welcome`: text of a first document
 * @throws DiskError
 */
export function createProjectFolders(
  tree: Tree,
  project: Project,
  options: { readme: string | null; welcome?: string },
): void {
  const path = `projects/${project.folder}`
  for (const folder of folders) tree.makeFolder(`${path}/${folder}`)
  if (options.readme !== null) createFile(tree, `${path}/README.md`, options.readme)
  if (options.welcome !== undefined) createFile(tree, `${path}/documents/welcome.md`, options.welcome)
  writeMarker(tree, `${path}/${markerName}`, project.id)
}

/** A folder that bears the marker of another project, as a copy does, becomes this one's. */
function writeMarker(tree: Tree, path: string, id: string): void {
  const look = tree.look(path)
  const { displaced } = tree.place(
    tree.stage(Buffer.from(`${id}\n`)),
    path,
    look.kind === 'file' ? look.stamp : null,
  )
  if (displaced) tree.discard(displaced)
}

function createFile(tree: Tree, path: string, text: string): void {
  if (tree.look(path).kind === 'missing') tree.place(tree.stage(Buffer.from(text)), path, null)
}

/** The home page of a new project. */
export const readmeText = (name: string): string => `# ${asHeading(name)}

This is the project's home page, its briefing. Say here what the project is for, who is in it and what matters now:
everyone who arrives, person or agent, reads it first.

- \`posts/\` holds what was announced. A post is published once and does not change after that.
- \`drafts/\` holds what is being written, one folder for each author. Only its author sees a draft.
- \`documents/\` is the library: everything that is kept up to date together, in folders if you like.
- \`board/\` holds the cards in four columns: triage, to do, in progress and done. A column is a folder.

Everything here is a markdown file. Change it over HTTP or with any editor in this folder (this page is its README.md):
nothing has to be imported or saved twice, and every version is kept.
`
