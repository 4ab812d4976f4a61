import { columns } from '../../core/documents/model/columns.ts'

export const generatedFiles = ['README.md', 'inbox/mentions.md']

export const filesOfProject = ['README.md', 'plan.md', 'map.md', 'asks.md', 'links.md']

export const foldersInProject = [
  'docs',
  'posts',
  'drafts',
  ...columns.map(({ name }) => `board/${name}`),
  'library/files',
  'skills',
]

/** Lists folders that the interface describes as text: the top level and projects. Null for others. */
export function entriesIn(folder: string): string[] | null {
  if (folder === '') return ['projects', 'rooms', 'help', ...generatedFiles]
  if (!/^projects\/[^/]+$/.test(folder)) return null
  return [...foldersInProject, 'library/repositories', 'pulls', 'trash', ...filesOfProject].map(
    (name) => `${folder}/${name}`,
  )
}
