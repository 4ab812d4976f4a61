import { scanFolders } from '../../data/tree/index.ts'
import { isInFilesFolder } from '../documents/model/document-paths.ts'
import { isUntracked, untrackedFolders, untrackedProblem } from '../documents/model/untracked-folders.ts'
import type { DoctorContext, Finding } from './types.ts'

export async function untrackedMarkdownFindings({ tree, present }: DoctorContext): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const project of present) {
    const root = `projects/${project.folder}`
    const found = new Map<string, string[]>()
    const visit = (folder: string, entries: { name: string; stat: { kind: string } }[]) => {
      const inner = folder.slice(root.length + 1)
      const names = entries
        .filter(
          ({ name, stat }) => stat.kind === 'file' && isUntracked(inner === '' ? name : `${inner}/${name}`),
        )
        .map(({ name }) => name)
      if (names.length > 0) found.set(inner, names)
    }
    await scanFolders(tree, [root], visit, { isExcluded: isInFilesFolder })
    for (const untracked of untrackedFolders(found)) {
      const path = untracked.folder === '' ? root : `${root}/${untracked.folder}`
      findings.push({ path, problem: `It ${untrackedProblem(untracked)}.`, mend: untracked.remedy })
    }
  }
  return findings
}
