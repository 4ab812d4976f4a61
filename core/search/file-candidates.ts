import { type FolderEntry, isIgnoredName, type Tree } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { pagePath } from '../documents/model/document-paths.ts'
import { mayRead } from '../documents/model/readable-documents.ts'
import { maxPathDepth } from '../files/file-names.ts'
import { filesFolder } from '../files/library-files.ts'
import { uploadPagePath } from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Candidate } from './top-matches.ts'

/** How many entries of folders are looked at; what was looked at is taken off. */
export interface ScanBudget {
  /** In all. */
  entries: number
  /** In the folder of one project. */
  ofEach: number
  /** Whether something was left out. */
  isShort: boolean
}

/**
 * The uploaded files of a project, what lies near the top before what lies deeper. Between entries the caller may let
 * others run: null stands for one that is no file.
 */
export function* uploadedFiles(
  tree: Tree,
  project: Project,
  left: ScanBudget,
): Generator<Candidate | null, void, undefined> {
  const root = filesFolder(project)
  const ahead = ['']
  let own = left.ofEach
  for (let folder = ahead.shift(); folder !== undefined; folder = ahead.shift()) {
    for (const entry of tree.entries(root + folder) ?? []) {
      if (own-- === 0 || left.entries-- <= 0) {
        left.isShort = true
        return
      }
      const path = `${folder}/${entry.name}`
      const isShown = !isIgnoredName(entry.name)
      if (isShown && isFolder(entry) && path.split('/').length <= maxPathDepth) ahead.push(path)
      yield isShown && isFile(entry) ? fileAt(project, path.slice(1)) : null
    }
  }
}

const isFolder = ({ stat }: FolderEntry): boolean => stat.kind === 'odd' && stat.odd === 'folder'

/** Also one that is too large to be read into memory. */
const isFile = ({ stat }: FolderEntry): boolean =>
  stat.kind === 'file' || (stat.kind === 'odd' && stat.odd === 'too_large')

function fileAt(project: Project, path: string): Candidate {
  const names = path.split('/')
  const folders = names.slice(0, -1).join('/')
  return {
    kind: 'file',
    title: names.at(-1)!,
    name: path,
    page: uploadPagePath(project, path),
    where: folders === '' ? project.name : `${project.name}, ${folders}`,
  }
}

/** What is attached to the posts of a project, and to the caller's own drafts. The page is that of the post or draft. */
export function* attachedFiles(
  { catalogue, projects }: { catalogue: Catalogue; projects: ProjectStore },
  caller: Caller,
  project: Project,
): Generator<Candidate | null, void, undefined> {
  const records = [
    ...catalogue.ofKind(project.id, 'post'),
    ...catalogue.ofKind(project.id, 'draft', caller.member.id),
  ]
  for (const record of records) {
    yield null
    if (record.attachments.length === 0 || !mayRead(caller, record, projects)) continue
    for (const { id, name } of record.attachments) {
      const page = `${pagePath(project, record)}#${id}`
      yield { kind: 'file', title: name, page, where: `${record.title}, ${project.name}` }
    }
  }
}
