import { nameKey } from '../../data/tree/index.ts'
import { columns } from './columns.ts'

/**
 * What to do with markdown in a folder where no document can lie.
 * @param folder within its project; `''` is the project's own
 * @returns one sentence
 */
export function strayRemedy(folder: string): string {
  const [top, second, ...deeper] = folder.split('/')
  switch (nameKey(top!)) {
    case 'posts':
      return 'Posts lie in posts/ itself: move it there, or into documents/.'
    case 'drafts':
      return deeper.length > 0
        ? `Drafts lie in the folder of their author itself: move it into drafts/${second}/.`
        : 'Drafts lie in a folder of their author: move it into drafts/<name>/, with the name of a member.'
    case 'board':
      return deeper.length > 0
        ? `Cards lie in their column itself: move it into board/${second}/.`
        : `Cards lie in the columns ${columns.map(({ name }) => name).join(', ')}: move it into one of them.`
    default:
      return 'Move it into documents/, where it becomes a document.'
  }
}
