import { columns } from '../../core/documents/model/columns.ts'

/** The files that are made anew for each reader, outside of projects. */
export const generatedFiles = ['README.md', 'inbox/mentions.md']

/** The files of every project: its home page, and those that are made anew for each reader. */
export const filesOfProject = ['README.md', 'plan.md', 'map.md', 'asks.md', 'links.md']

export const foldersInProject = [
  'docs',
  'posts',
  'drafts',
  ...columns.map(({ name }) => `board/${name}`),
  'library/files',
  'skills',
]

/** What is in the folders that the interface answers as a text: those at the top, and a project. */
export function placesIn(folder: string): string[] | null {
  if (folder === '') return ['projects', 'rooms', 'help', ...generatedFiles]
  if (!/^projects\/[^/]+$/.test(folder)) return null
  return [...foldersInProject, 'library/repositories', 'pulls', 'trash', ...filesOfProject].map(
    (name) => `${folder}/${name}`,
  )
}
