import { scanFolders } from '../../data/tree/index.ts'
import { isFilesOnly } from '../documents/model/places.ts'
import { isStray, strayFolders, strayProblem } from '../documents/model/stray-folders.ts'
import type { Examined, Finding } from './types.ts'

/** Folders that hold markdown which is no document. */
export async function strayMarkdown({ tree, present }: Examined): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const project of present) {
    const root = `projects/${project.folder}`
    const found = new Map<string, string[]>()
    const visit = (folder: string, entries: { name: string; look: { kind: string } }[]) => {
      const inner = folder.slice(root.length + 1)
      const names = entries
        .filter(({ name, look }) => look.kind === 'file' && isStray(inner === '' ? name : `${inner}/${name}`))
        .map(({ name }) => name)
      if (names.length > 0) found.set(inner, names)
    }
    await scanFolders(tree, [root], visit, { isLeftOut: isFilesOnly })
    for (const stray of strayFolders(found)) {
      const path = stray.folder === '' ? root : `${root}/${stray.folder}`
      findings.push({ path, problem: `It ${strayProblem(stray)}.`, mend: stray.remedy })
    }
  }
  return findings
}
