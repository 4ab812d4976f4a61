import type { Database } from '../../data/database.ts'
import { type Attachment, type DocumentRecord, documentsTable } from '../../data/tables/documents.ts'
import { journalTable } from '../../data/tables/journal.ts'
import { type ProjectRow, projectsTable } from '../../data/tables/projects.ts'
import { revisionsTable } from '../../data/tables/revisions.ts'
import { type RoomAttachmentsTable, roomAttachmentsTable } from '../../data/tables/room-attachments.ts'
import { skillVersionsTable } from '../../data/tables/skill-versions.ts'
import { type SkillRow, skillsTable } from '../../data/tables/skills.ts'
import { type WorkspaceRow, workspaceTable } from '../../data/tables/workspace.ts'
import { openTree } from '../../data/tree/index.ts'
import { pathInHome } from '../documents/model/document-paths.ts'
import { decompressRevision } from '../revisions/revision.ts'
import { roomAttachmentPath } from '../room-attachments/room-attachment-files.ts'
import { takeSnapshot } from '../skills/file-snapshot.ts'
import { type SkillFiles, unpack } from '../skills/skill-files.ts'
import { skillPath } from '../skills/skill-publisher.ts'

export interface DocumentFile {
  record: DocumentRecord
  project: ProjectRow
  path: string
}

/** Its database has the bytes of every revision, so that documents match it exactly. */
export class SnapshotFiles {
  private readonly database: Database
  private readonly revisions
  private readonly skills
  private readonly skillVersions
  readonly workspace: WorkspaceRow
  readonly projects: ProjectRow[]
  readonly documents: DocumentFile[]
  readonly trashed: DocumentFile[]
  /** Paths in the project, including attachments of deleted documents. */
  readonly attached: ReadonlySet<string>
  private readonly roomAttachments: RoomAttachmentsTable
  /** Paths in the home. */
  readonly roomFiles: ReadonlySet<string>

  constructor(database: Database) {
    const db = database.connection
    this.database = database
    this.revisions = revisionsTable(db)
    this.skills = skillsTable(db)
    this.skillVersions = skillVersionsTable(db)
    this.workspace = workspaceTable(db).find()!
    this.projects = projectsTable(db).all()
    const documents = documentsTable(db)
    const byId = new Map(this.projects.map((project) => [project.id, project]))
    this.documents = documents.live().map((record) => {
      const project = byId.get(record.projectId)!
      return { record, project, path: pathInHome(project, record.path) }
    })
    const deleted = this.projects.map((project) => ({ project, records: documents.deleted(project.id) }))
    this.trashed = deleted.flatMap(({ project, records }) =>
      records.flatMap((record) =>
        record.trashPath === null ? [] : [{ record, project, path: record.trashPath }],
      ),
    )
    const all = [...this.documents.map(({ record }) => record), ...deleted.flatMap(({ records }) => records)]
    this.attached = new Set(
      all.flatMap(({ id, attachments }) => attachments.map(({ name }) => `attachments/${id}/${name}`)),
    )
    this.roomAttachments = roomAttachmentsTable(db)
    this.roomFiles = new Set(this.roomAttachments.all().map(roomAttachmentPath))
  }

  /** Returns null if the database lacks them. */
  bytesOf({ id, revision }: DocumentRecord): Buffer | null {
    const compressed = this.revisions.find(id, revision)?.content
    return compressed ? decompressRevision(compressed, revision) : null
  }

  async skillsOf({ id }: ProjectRow): Promise<Map<string, SkillFiles | null>> {
    const skills = new Map<string, SkillFiles | null>()
    for (const { name, version } of this.skills.all(id)) {
      const files = this.skillVersions.find(id, name, version)?.files
      skills.set(name, files ? await unpack(files) : null)
    }
    return skills
  }

  /** Removes attachments that are not among the `written` paths from their documents. Returns their paths. */
  async forgetAttachments(written: ReadonlySet<string>): Promise<string[]> {
    const isKept = ({ id }: DocumentRecord, { name }: Attachment) =>
      this.projects.some((project) => written.has(pathInHome(project, `attachments/${id}/${name}`)))
    const forgotten: string[] = []
    const documents = documentsTable(this.database.connection)
    await this.database.commit(() => {
      for (const record of documents.withAttachments()) {
        const attachments = record.attachments.filter((attachment) => isKept(record, attachment))
        if (attachments.length === record.attachments.length) continue
        documents.setMetadata(record.id, { ...record, attachments })
        const project = this.projects.find(({ id }) => id === record.projectId)!
        const lost = record.attachments.filter((attachment) => !attachments.includes(attachment))
        forgotten.push(...lost.map(({ name }) => pathInHome(project, `attachments/${record.id}/${name}`)))
      }
    })
    return forgotten
  }

  async forgetRoomAttachments(written: ReadonlySet<string>): Promise<string[]> {
    const lost = this.roomAttachments
      .all()
      .filter((row) => row.deletedMs === null && !written.has(roomAttachmentPath(row)))
    await this.database.commit(() => {
      for (const { id } of lost) this.roomAttachments.remove(id)
    })
    return lost.map(roomAttachmentPath)
  }

  /** Makes the database refer to the restored files, with nothing in progress. */
  async finish(home: string): Promise<void> {
    const tree = openTree(home)
    const seen: [SkillRow, string][] = []
    for (const project of this.projects) {
      for (const { name } of this.skills.all(project.id)) {
        const root = skillPath(project, name)
        const snapshot = await takeSnapshot(tree, root, {}, Date.now())
        seen.push([this.skills.find(project.id, name)!, JSON.stringify(snapshot)])
      }
    }
    const db = this.database.connection
    await this.database.commit(() => {
      documentsTable(db).forgetStamps()
      journalTable(db).removeAll()
      for (const [skill, now] of seen) this.skills.setSeen(skill, now)
    })
  }
}
