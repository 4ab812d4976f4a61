import { type DocumentRecord, documentsTable } from '../../data/tables/documents.ts'
import { revisionsTable } from '../../data/tables/revisions.ts'
import { roomAttachmentsTable } from '../../data/tables/room-attachments.ts'
import { isIgnoredName, isSafeName, type Tree } from '../../data/tree/index.ts'
import { findAttachmentFile } from '../attachments/attachment-files.ts'
import { pathInHome } from '../documents/model/document-paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { roomAttachmentPath, roomFilesRoot } from '../room-attachments/room-attachment-files.ts'
import type { DoctorContext, Finding } from './types.ts'

export function attachmentFindings(context: DoctorContext): Finding[] {
  const documents = documentsTable(context.database.connection)
  const presentIds = new Set(context.present.map(({ id }) => id))
  const live = documents.live().filter(({ projectId }) => presentIds.has(projectId))
  // Purged documents have neither revisions nor files.
  const revisions = revisionsTable(context.database.connection)
  const deleted = context.present
    .flatMap(({ id }) => documents.deleted(id))
    .filter(({ attachments, id }) => attachments.length > 0 && revisions.heads(id).length > 0)
  const records = [...live.filter(({ attachments }) => attachments.length > 0), ...deleted]
  return compareAttached(context, records).filter(({ path }) =>
    context.present.some((project) => path.startsWith(pathInHome(project, ''))),
  )
}

function compareAttached(
  context: { tree: Tree; projects: ProjectStore },
  records: DocumentRecord[],
): Finding[] {
  const findings: Finding[] = []
  const knownPaths = new Set<string>()
  for (const record of records) {
    for (const attachment of record.attachments) {
      const found = findAttachmentFile(context, record, attachment)
      const project = context.projects.find(record.projectId)!
      const path = found ?? pathInHome(project, `attachments/${record.id}/${attachment.name}`)
      // Known even if something else has its path, so that it is reported once.
      knownPaths.add(path)
      if (found !== null) continue
      findings.push({
        path,
        problem: 'The attached file is missing.',
        mend: 'Put it back, or delete the attachment.',
      })
    }
  }
  for (const path of attachedFiles(context)) {
    if (knownPaths.has(path)) continue
    findings.push({
      path,
      problem: 'The file is not attached to any document.',
      mend: 'Attach it to its post over HTTP, or remove it.',
    })
  }
  return findings
}

function* attachedFiles({ tree, projects }: { tree: Tree; projects: ProjectStore }): Generator<string> {
  for (const project of projects.all()) {
    const root = pathInHome(project, 'attachments')
    for (const id of (tree.names(root) ?? []).filter(isSafeName)) {
      for (const name of tree.names(`${root}/${id}`) ?? []) {
        if (!isIgnoredName(name)) yield `${root}/${id}/${name}`
      }
    }
  }
}

export function roomAttachmentFindings({ database, tree }: DoctorContext): Finding[] {
  const rows = roomAttachmentsTable(database.connection).all()
  const missing = rows
    .filter((row) => row.deletedMs === null && tree.statAnySize(roomAttachmentPath(row)).kind !== 'file')
    .map((row) => ({
      path: roomAttachmentPath(row),
      problem: 'The file of an attachment of a room is missing.',
      mend: 'Put it back, or delete the attachment.',
    }))
  const knownPaths = new Set(rows.map(roomAttachmentPath))
  const unknown = [...roomFiles(tree)]
    .filter((path) => !knownPaths.has(path))
    .map((path) => ({
      path,
      problem: 'The file is not attached to any room.',
      mend: 'Upload it to its room over HTTP, or remove it.',
    }))
  return [...missing, ...unknown]
}

function* roomFiles(tree: Tree): Generator<string> {
  for (const roomId of namesIn(tree, roomFilesRoot)) {
    for (const id of namesIn(tree, `${roomFilesRoot}/${roomId}`)) {
      const folder = `${roomFilesRoot}/${roomId}/${id}`
      for (const name of namesIn(tree, folder)) yield `${folder}/${name}`
    }
  }
}

const namesIn = (tree: Tree, folder: string): string[] =>
  (tree.names(folder) ?? []).filter((name) => isSafeName(name) && !isIgnoredName(name))
