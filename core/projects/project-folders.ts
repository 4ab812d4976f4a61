import { DiskError, type Tree } from '../../data/tree/index.ts'
import type { Project } from '../access/project.ts'
import { asHeading } from '../text/heading.ts'

const folders = [
  'posts',
  'drafts',
  'documents',
  'board/01-triage',
  'board/02-todo',
  'board/03-in-progress',
  'board/04-done',
]

/** Holds the project's id. A folder without it may be the mount point of a missing disk. */
export const markerName = '.workroom'

export const markerText = ({ id }: Pick<Project, 'id'>): string => `${id}\n`

export const isProjectId = (text: string): boolean => /^prj_[0-9a-hjkmnp-tv-z]{26}$/.test(text)

interface FirstFiles {
  readme: string | null
  welcome?: string
}

interface CreatedFolders {
  paths: string[]
  remove(): void
}

/** Durable. Keeps existing files. @throws DiskError; nothing remains */
export async function createProjectFolders(
  tree: Tree,
  project: Project,
  firstFiles: FirstFiles,
): Promise<void> {
  const created = placeProjectFolders(tree, project, firstFiles)
  try {
    for (const path of created.paths) await tree.flush(path)
  } catch (error) {
    created.remove()
    throw error
  }
}

/** As `createProjectFolders`, but not durable yet. */
export function placeProjectFolders(
  tree: Tree,
  project: Project,
  { readme, welcome }: FirstFiles,
): CreatedFolders {
  const path = `projects/${project.folder}`
  const inner = folders.map((folder) => `${path}/${folder}`)
  const isNew = (folder: string) => tree.stat(folder).kind === 'missing'
  const newFolders = [path, `${path}/board`, ...inner].filter(isNew)
  const newFiles: string[] = []
  const remove = () => {
    for (const file of newFiles) removeIfPossible(tree, file)
    for (const folder of newFolders.toReversed()) tree.removeEmptyFolder(folder)
  }
  try {
    for (const folder of inner) tree.makeFolder(folder)
    const first = [
      { path: `${path}/README.md`, text: readme ?? undefined },
      { path: `${path}/documents/welcome.md`, text: welcome },
    ]
    for (const { path, text } of first) {
      if (text !== undefined && createFile(tree, path, text)) newFiles.push(path)
    }
    if (isNew(`${path}/${markerName}`)) newFiles.push(`${path}/${markerName}`)
    writeMarker(tree, project)
    return { paths: [...inner, ...newFiles], remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** Makes even a folder with another project's marker, such as a copy, this project's. @throws DiskError */
export function writeMarker(tree: Tree, project: Pick<Project, 'id' | 'folder'>): void {
  const path = `projects/${project.folder}/${markerName}`
  const stat = tree.stat(path)
  const expected = stat.kind === 'file' ? stat.stamp : null
  const staged = tree.stage(Buffer.from(markerText(project)))
  try {
    const { displaced } = tree.place(staged, path, expected)
    for (const { name } of displaced) tree.discard(name)
  } finally {
    tree.discard(staged.name)
  }
}

function createFile(tree: Tree, path: string, text: string): boolean {
  if (tree.stat(path).kind !== 'missing') return false
  const staged = tree.stage(Buffer.from(text))
  try {
    return tree.placeNew(staged, path) !== null
  } finally {
    tree.discard(staged.name)
  }
}

function removeIfPossible(tree: Tree, path: string): void {
  try {
    tree.remove(path)
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
  }
}

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
