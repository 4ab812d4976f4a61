import { LRUCache } from 'lru-cache'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { conflictOf } from '../../../data/tree/index.ts'
import type { Caller, Member } from '../../access/member.ts'
import type { Project } from '../../access/project.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import { displayedLines, renderRead, storedBlocks } from '../../markdown/index.ts'
import { projectPagePath } from '../../paths.ts'
import type { Reading } from '../../revisions/reading.ts'
import { revisionOf } from '../../revisions/revision.ts'
import type { AddressResolver } from '../addressing/address-resolver.ts'
import type { RevisionContent } from '../catalogue/revision-contents.ts'
import { envelopeOf, serverLines } from '../content/envelope.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { displayedStatus } from '../model/card-fields.ts'
import { filenameOf, pagePath, pathInHome, treePath } from '../model/document-paths.ts'
import type { DocumentView, FileAddress, RevisionRow } from '../model/types.ts'

const cacheBytes = 64 * 1024 * 1024

const noViewsError = () =>
  new WorkspaceError(
    'invalid',
    'This file is kept as plain text, because it cannot be parsed within the time that a file has: it has no views. Read it without ?view=.',
  )

interface CachedRead extends Reading {
  record: DocumentRecord
  namesVersion: number
  project: Project
}

/** A warm read costs a `stat` and a lookup. */
export class Reads {
  private readonly rendered = new LRUCache<string, CachedRead>({
    maxSize: cacheBytes,
    sizeCalculation: ({ body }) => body.length + 1024,
  })

  constructor(
    private readonly deps: DocumentsDeps,
    private readonly addressing: AddressResolver,
  ) {}

  /** `docs/interface.md#reading-a-file`, `docs/markdown.md#the-envelope` */
  async read(caller: Caller, address: FileAddress, revision?: string): Promise<Reading> {
    const isCopy = conflictOf(address.name.slice(address.name.lastIndexOf('/') + 1)) !== null
    const copy = isCopy ? await this.readConflictCopy(caller, address) : null
    if (copy) return copy
    const isWarm = revision === undefined && !isCopy
    const warm = isWarm ? this.addressing.resolveFromCache(caller, address) : null
    if (warm) return this.render(warm.record, warm.project)
    const { record, project } = await this.addressing.require(caller, address, 'read')
    if (revision === undefined || revision === record.revision) return this.render(record, project)
    const old = this.deps.contents.find(record.id, revision)
    if (!old) throw new WorkspaceError('not_found', `This file has no revision ${JSON.stringify(revision)}.`)
    return { ...this.build(record, project, old, revision), isEnvelopeAsWritten: false }
  }

  async view(caller: Caller, address: FileAddress, view: 'blocks' | 'outline'): Promise<DocumentView> {
    const { record, project } = await this.addressing.require(caller, address, 'read')
    if (this.deps.contents.get(record.id, record.revision).digest.plain) throw noViewsError()
    const text = async () => {
      const json = await this.viewText(record, project, view)
      if (json === null) throw noViewsError()
      return json
    }
    const isByName = address.project === project.slug && address.name === filenameOf(record)
    return { reading: this.render(record, project), isByName, text }
  }

  async viewText(
    record: DocumentRecord,
    project: Project,
    view: 'blocks' | 'outline',
  ): Promise<string | null> {
    const { digest } = this.deps.contents.get(record.id, record.revision)
    if (digest.plain) return null
    const { text } = await this.deps.markdown.view({
      view,
      read: this.render(record, project).body,
      canonical: treePath(project, record),
      document: {
        id: record.id,
        title: record.title,
        lastEditedAt: new Date(record.editedMs ?? record.publishedMs).toISOString(),
        bytes: record.bytes,
      },
    })
    return text
  }

  async ownBlocks(record: DocumentRecord, project: Project): Promise<{ id: string }[]> {
    const { digest } = this.deps.contents.get(record.id, record.revision)
    if (digest.plain !== null) return []
    const stored = storedBlocks(digest, this.deps.members.names())
    if (stored) return stored
    const text = await this.viewText(record, project, 'blocks')
    if (text === null) return []
    const { blocks } = JSON.parse(text) as { blocks: { id: string; writable: boolean }[] }
    return blocks.filter(({ writable }) => writable)
  }

  async revisions(caller: Caller, address: FileAddress): Promise<{ revisions: RevisionRow[] }> {
    const { record } = await this.addressing.require(caller, address, 'read')
    const { revisions, revisionWriters, members } = this.deps
    const writers = new Map<string, string[]>()
    for (const { revision, memberId } of revisionWriters.list(record.id)) {
      writers.set(revision, [...(writers.get(revision) ?? []), members.find(memberId)!.name])
    }
    return {
      revisions: revisions.heads(record.id).map(({ revision, atMs, authorId, via, bytes }) => ({
        revision,
        at: atMs,
        author: members.find(authorId)!.name,
        ...(writers.has(revision) && { writers: writers.get(revision)! }),
        via,
        bytes,
      })),
    }
  }

  render(record: DocumentRecord, project: Project): Reading {
    const namesVersion = this.deps.members.version
    const cached = this.rendered.get(record.id)
    if (
      cached &&
      cached.record === record &&
      cached.namesVersion === namesVersion &&
      cached.project === project
    )
      return cached
    const reading = this.build(record, project, this.deps.contents.get(record.id, record.revision))
    this.rendered.set(record.id, { ...reading, record, namesVersion, project })
    return reading
  }

  /** The range of the author's frontmatter lines in the text of `render`, in UTF-16 code units. */
  ownLines(record: DocumentRecord, project: Project): [start: number, end: number] {
    const { digest } = this.deps.contents.get(record.id, record.revision)
    const { members } = this.deps
    const author = members.find(record.authorId) as Member
    const server = serverLines(record, digest, { project, author, names: members.names() })
    const start = '---\n'.length + server.length
    const status = displayedStatus(record, digest.frontmatter?.fields ?? {})
    return [start, start + displayedLines(digest.frontmatter, status).length]
  }

  private build(
    record: DocumentRecord,
    project: Project,
    { stored, digest }: RevisionContent,
    revision = record.revision,
  ): Reading {
    const { members, pageUrl } = this.deps
    const author = members.find(record.authorId) as Member
    const names = members.names()
    // An older revision keeps the title and status of its time.
    const status =
      revision === record.revision ? displayedStatus(record, digest.frontmatter?.fields ?? {}) : null
    return {
      documentId: record.id,
      body: renderRead({
        stored,
        digest,
        title: digest.title ?? record.title,
        names,
        status,
        server: serverLines(record, digest, { project, author, names }),
      }),
      revision,
      url: pageUrl(pagePath(project, record)),
      isEnvelopeAsWritten: record.envelope === envelopeOf(record, digest, { author, names }),
    }
  }

  /** Served unchanged, since it is not a document. Null if there is none. */
  private async readConflictCopy(caller: Caller, address: FileAddress): Promise<Reading | null> {
    const { project, column } = await this.addressing.resolveExisting(caller, address, 'read')
    const bytes = this.addressing
      .candidateFolders(caller, project, address, column)
      .map((path) => this.deps.tree.read(pathInHome(project, path))?.bytes)
      .find((found) => found !== undefined)
    if (!bytes) return null
    return {
      body: bytes,
      revision: revisionOf(bytes),
      url: this.deps.pageUrl(projectPagePath(project)),
      isEnvelopeAsWritten: true,
    }
  }
}
