import { isUtf8 } from 'node:buffer'
import { posix } from 'node:path'
import type { Staged } from '../../data/tree/index.ts'
import type { Caller, Member } from '../access/member.ts'
import { requireFileDeletion } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import type { Locks } from '../concurrency/name-locks.ts'
import type { AddressResolver } from '../documents/addressing/address-resolver.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import { pathInHome } from '../documents/model/document-paths.ts'
import { readUnavailableError, writeUnavailableError } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { filesTreePath } from '../paths.ts'
import { type Precondition, requirePrecondition } from '../revisions/preconditions.ts'
import { revisionOf } from '../revisions/revision.ts'
import { requireFilePath } from './file-names.ts'
import type { FileTrash } from './file-trash.ts'
import { mediaTypeOf } from './media-type.ts'
import { placeUnderAvailableName, removeEmptyParents, withReceivedFile } from './receive-file.ts'
import { fileForDownload, tagOf } from './served-file.ts'
import type { SignedLinks } from './signed-links.ts'
import type { BeginUpload, LibraryFileRead, LibraryFileWrite, LibraryListItem, ServedFile } from './types.ts'
import { type FoundFile, findFile, findFolder, similarFolder, walkFiles } from './walk.ts'

interface LibraryFilesDeps extends SharedDeps {
  signedLinks: SignedLinks
}

interface PresentFile {
  file: FoundFile
  revision: string
}

const maxTextBytes = 1024 * 1024

export const filesFolder = (project: Pick<Project, 'folder'>): string => pathInHome(project, 'files')

/** All files in a project's folder `files/`, however they came there. The database does not know them. */
export class LibraryFiles {
  private readonly shared: LibraryFilesDeps
  private readonly addressing: AddressResolver
  private readonly disk: DiskSync
  private readonly fileTrash: FileTrash
  private readonly locks: Locks

  constructor(
    shared: LibraryFilesDeps,
    deps: { addressing: AddressResolver; disk: DiskSync; fileTrash: FileTrash; locks: Locks },
  ) {
    this.shared = shared
    this.addressing = deps.addressing
    this.disk = deps.disk
    this.fileTrash = deps.fileTrash
    this.locks = deps.locks
  }

  async list(
    caller: Caller,
    slug: string,
  ): Promise<{ project: string; files: LibraryListItem[]; truncated?: true }> {
    const project = this.addressing.requireProject(caller, slug, 'documents', 'read')
    const { files, isCut } = await walkFiles(this.shared.tree, filesFolder(project))
    this.disk.requireMounted(project)
    return {
      project: project.slug,
      files: files.map((file) => this.listItemOf(caller, project, file)),
      ...(isCut ? { truncated: true } : {}),
    }
  }

  async listBelow(
    caller: Caller,
    slug: string,
    name: string,
  ): Promise<{ project: string; folder: string; files: LibraryListItem[]; truncated?: true } | null> {
    const project = this.addressing.requireProject(caller, slug, 'documents', 'read')
    const root = filesFolder(project)
    const folder = findFolder(this.shared.tree, root, name)
    if (folder === null) return null
    const { files, isCut } = await walkFiles(this.shared.tree, `${root}/${folder}`)
    return {
      project: project.slug,
      folder,
      files: files.map(({ path, stamp }) =>
        this.listItemOf(caller, project, { path: `${folder}/${path}`, stamp }),
      ),
      ...(isCut ? { truncated: true } : {}),
    }
  }

  /** Returns a text of up to 1 MB, or a link to the file. */
  read(caller: Caller, slug: string, name: string): LibraryFileRead {
    const project = this.addressing.requireProject(caller, slug, 'documents', 'read')
    const file = this.require(project, name)
    const bytes = this.textOf(project, file)
    if (bytes) {
      const type = mediaTypeOf(file.path) === 'text/markdown' ? 'text/markdown' : 'text/plain'
      return { kind: 'text', bytes, type, revision: revisionOf(bytes) }
    }
    const { name: fileName, type, size, downloadUrl } = this.listItemOf(caller, project, file)
    const revision = this.revisionOf(project, file)
    return { kind: 'link', link: { name: fileName, type, size, downloadUrl }, revision }
  }

  open(caller: Caller, slug: string, name: string): ServedFile {
    const project = this.addressing.requireProject(caller, slug, 'documents', 'read')
    return this.openForDownloadLink(caller.member, project.id, this.require(project, name).path)
  }

  /** A taken name gets `-2`, so that no upload replaces a file. @throws WorkspaceError `invalid` */
  async add(caller: Caller, slug: string, begin: BeginUpload): Promise<LibraryListItem> {
    this.requireWritableProject(caller, slug)
    const upload = await begin()
    const requestedPath = requireFilePath(upload.name)
    const { tree } = this.shared
    return withReceivedFile(tree, upload.bytes, async (staged) => {
      // The permission may have ended during a long upload.
      const project = this.requireWritableProject(caller, slug)
      const root = filesFolder(project)
      const folder = similarFolder(tree, root, requestedPath.split('/').slice(0, -1))
      if (folder === null) {
        throw new WorkspaceError(
          'conflict',
          'A file has the name of a folder in this path. Choose another name.',
        )
      }
      const name = await placeUnderAvailableName(tree, staged, folder, {
        preferredName: posix.basename(requestedPath),
      })
      const path = `${folder}/${name}`.slice(root.length + 1)
      this.shared.changeTopics.markChanged(`project:${project.id}`)
      return this.listItemOf(caller, project, { path, stamp: staged.stamp })
    })
  }

  /** Moves the replaced file to the trash. @throws WorkspaceError `conflict`, also without a condition */
  async replace(
    caller: Caller,
    slug: string,
    name: string,
    begin: BeginUpload,
    precondition: Precondition,
  ): Promise<LibraryFileWrite> {
    requireReplaceable(precondition, this.findPresent(this.requireWritableProject(caller, slug), name))
    const { bytes } = await begin()
    return withReceivedFile(this.shared.tree, bytes, async (staged) => {
      const project = this.requireWritableProject(caller, slug)
      const path = findFile(this.shared.tree, filesFolder(project), name)?.path ?? name
      return this.locks.run([`${filesFolder(project)}/${path}`], async () => {
        const present = requireReplaceable(precondition, this.findPresent(project, path))
        await this.placeOver(caller.member, project, present.file, staged)
        this.shared.changeTopics.markChanged(`project:${project.id}`)
        const file = this.require(project, path)
        return { file: this.listItemOf(caller, project, file), revision: this.revisionOf(project, file) }
      })
    })
  }

  private async placeOver(member: Member, project: Project, file: FoundFile, staged: Staged): Promise<void> {
    const { tree } = this.shared
    const target = `${filesFolder(project)}/${file.path}`
    const replaced = { path: `files/${file.path}`, bytes: file.stamp.size }
    await this.fileTrash.recordWhile(member, project, replaced, async (trashPath) => {
      const { displaced } = tree.place(staged, target, null)
      for (const { name, stamp } of displaced) {
        if (stamp) tree.placeNew({ name, stamp }, trashPath)
      }
      await tree.flush(trashPath)
      await tree.flush(target)
    })
  }

  private findPresent(project: Project, name: string): PresentFile | null {
    const file = findFile(this.shared.tree, filesFolder(project), name)
    return file && { file, revision: this.revisionOf(project, file) }
  }

  /** Files other than texts are too large to be hashed: their tag changes with every write. */
  private revisionOf(project: Project, file: FoundFile): string {
    const bytes = this.textOf(project, file)
    return bytes ? revisionOf(bytes) : tagOf(file.stamp)
  }

  /** Moves a file to the trash, from which the returned id restores it. */
  async remove(
    caller: Caller,
    slug: string,
    name: string,
  ): Promise<{ id: string; name: string; deleted: true }> {
    const project = this.requireWritableProject(caller, slug)
    requireFileDeletion(caller.member, this.shared.projects.roleOf(project, caller.member))
    const file = this.require(project, name)
    const path = `${filesFolder(project)}/${file.path}`
    try {
      const id = await this.locks.run([path], () =>
        this.fileTrash.moveToTrash(caller.member, project, `files/${file.path}`),
      )
      removeEmptyParents(this.shared.tree, path)
      return { id, name: file.path, deleted: true }
    } catch (error) {
      throw writeUnavailableError(error)
    }
  }

  openForDownloadLink(member: Member, projectId: string, path: string): ServedFile {
    const project = this.shared.projects.require(member, projectId)
    this.disk.requireUsable(project)
    const { tree, diskNow } = this.shared
    const metadata = { name: posix.basename(path), type: mediaTypeOf(path) }
    const file = fileForDownload(tree, `${filesFolder(project)}/${path}`, metadata, diskNow())
    if (file) return file
    this.disk.requireMounted(project)
    throw new WorkspaceError('not_found', 'The file of this link has been deleted or renamed.')
  }

  private requireWritableProject(caller: Caller, slug: string): Project {
    const project = this.addressing.requireProject(caller, slug, 'documents', 'write')
    this.disk.requireUsable(project, 'write')
    return project
  }

  private require(project: Project, name: string): FoundFile {
    const file = findFile(this.shared.tree, filesFolder(project), name)
    if (file) return file
    this.disk.requireMounted(project)
    throw new WorkspaceError('not_found', `There is no file ${JSON.stringify(name)}.`, {
      next: { step: 'list library files', project: project.slug },
    })
  }

  private textOf(project: Project, { path, stamp }: FoundFile): Buffer | null {
    if (stamp.size > maxTextBytes) return null
    try {
      const bytes = this.shared.tree.read(`${filesFolder(project)}/${path}`)?.bytes
      return bytes && isUtf8(bytes) && !bytes.includes(0) ? bytes : null
    } catch (error) {
      throw readUnavailableError(error)
    }
  }

  private listItemOf({ member }: Caller, project: Project, { path, stamp }: FoundFile): LibraryListItem {
    const target = { kind: 'file', memberId: member.id, projectId: project.id, path } as const
    return {
      name: path,
      type: mediaTypeOf(path),
      size: stamp.size,
      updatedAt: Math.floor(stamp.mtimeMs),
      path: filesTreePath(project, path),
      downloadUrl: this.shared.signedLinks.sign(target, posix.basename(path)),
    }
  }
}

function requireReplaceable(precondition: Precondition, present: PresentFile | null): PresentFile {
  if (!present && (precondition.kind === 'none' || precondition.kind === 'create')) {
    throw new WorkspaceError(
      'method_not_allowed',
      'There is no such file to replace. A new file is uploaded with POST to the folder, with ?name=.',
    )
  }
  if (!present)
    throw new WorkspaceError('conflict', 'FILE_CONFLICT: there is no file of this name (any more).')
  requirePrecondition(precondition, present, 'file')
  if (precondition.kind !== 'none') return present
  throw new WorkspaceError('conflict', 'FILE_CONFLICT: there is a file of this name already.', {
    fields: { currentRevision: present.revision },
    next: { step: 'replace the file' },
  })
}
