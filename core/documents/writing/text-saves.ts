import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Member } from '../../access/member.ts'
import type { Project } from '../../access/project.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { DocumentLocker } from '../addressing/document-locker.ts'
import { analyseSent } from '../content/analysis.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { columnOf, filenameOf, treeFolderFor } from '../model/document-paths.ts'
import type { Address, DocumentKind } from '../model/types.ts'
import type { Writes } from './writes.ts'

interface TextToSave {
  /** The author of the revision: the one who wrote most of it. */
  member: Member
  /** As stored, without the envelope of a read. */
  bytes: Buffer
  /** Called within the commit of the revision; not if the file has these bytes already. */
  committing(revision: string, stored: Buffer): void
}

interface SavedText {
  record: DocumentRecord
  stored: Uint8Array
}

interface TextSavesDeps {
  disk: DiskSync
  locker: DocumentLocker
  writes: Writes
}

export class TextSaves {
  constructor(
    private readonly shared: DocumentsDeps,
    private readonly deps: TextSavesDeps,
  ) {}

  /** `compose` returns null to save nothing. @throws WorkspaceError `not_found`; as a write of the file */
  save(id: string, compose: (record: DocumentRecord) => TextToSave | null): Promise<SavedText | null> {
    return this.deps.locker.withLock(
      {
        find: async () => {
          await this.deps.disk.reconcile(this.require(id).record)
          return [this.require(id)]
        },
        resolveNow: () => [this.require(id)],
        namesOf: () => [id],
      },
      async ([locked], sinceMs) => {
        const { record, project } = locked!
        const text = compose(record)
        if (text === null) return null
        const before = this.shared.contents.get(id, record.revision)
        const analysis = await analyseSent(this.shared, text.bytes, record, before, { sinceMs })
        const target = {
          project,
          record,
          address: addressOf(project, record),
          column: columnOf(record) ?? null,
        }
        const caller = { member: text.member, keyId: '', scopes: new Set(['*'] as const) }
        await this.deps.writes.write(caller, { ...target, name: 'current' }, before, analysis, {
          committing: () => text.committing(analysis.revision, Buffer.from(analysis.stored)),
        })
        return { record: this.require(id).record, stored: analysis.stored }
      },
    )
  }

  private require(id: string): { record: DocumentRecord; project: Project } {
    const record = this.shared.catalogue.find(id)
    const project = record && this.shared.projects.find(record.projectId)
    if (!record || !project || this.deps.disk.isMissing(record)) {
      throw new WorkspaceError('not_found', 'This file no longer exists.')
    }
    return { record, project }
  }
}

const addressOf = (project: Project, record: DocumentRecord): Address => ({
  project: project.slug,
  folder: treeFolderFor[record.kind as Exclude<DocumentKind, 'home'>],
  ...(record.kind === 'card' && { column: columnOf(record)! }),
  name: filenameOf(record),
})
