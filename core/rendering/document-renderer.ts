import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Caller } from '../access/member.ts'
import type { AddressResolver } from '../documents/addressing/address-resolver.ts'
import type { RevisionContent } from '../documents/catalogue/revision-contents.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import { displayedStatus } from '../documents/model/card-fields.ts'
import type { Address } from '../documents/model/types.ts'
import type { Briefing } from '../documents/reading/briefing.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { displayedText, type Html, largeTextBytes, mentionedNames } from '../markdown/index.ts'
import type { HtmlCache } from './html-cache.ts'
import type { SlotFiller } from './slot-filler.ts'
import type { RenderedDocument } from './types.ts'

export interface FoundRevision {
  record: DocumentRecord
  revision: string
  content: RevisionContent
}

interface DocumentRendererDeps {
  addressing: AddressResolver
  briefing: Briefing
  slotFiller: SlotFiller
  cache: HtmlCache
}

/** Renders the same bytes once; what differs between readers is filled in. */
export class DocumentRenderer {
  constructor(
    private readonly shared: SharedDeps,
    private readonly deps: DocumentRendererDeps,
  ) {}

  /** @param revision an older one; default: the current one @throws WorkspaceError as a read of the file */
  async at(caller: Caller, address: Address, revision?: string): Promise<RenderedDocument> {
    return this.render(caller, await this.find(caller, address, revision))
  }

  async find(caller: Caller, address: Address, revision?: string): Promise<FoundRevision> {
    const { record } = await this.deps.addressing.require(caller, address, 'read')
    return this.revisionOf(record, revision)
  }

  /** A project's home page without its list of folders; null if there is none. */
  async home(caller: Caller, project: string): Promise<RenderedDocument | null> {
    const { home } = await this.deps.briefing.homePage(caller, project)
    return home && this.render(caller, this.revisionOf(home))
  }

  private revisionOf(record: DocumentRecord, revision = record.revision): FoundRevision {
    const content = this.shared.contents.find(record.id, revision)
    if (content) return { record, revision, content }
    throw new WorkspaceError('not_found', `This file has no revision ${JSON.stringify(revision)}.`)
  }

  async render(caller: Caller, { record, revision, content }: FoundRevision): Promise<RenderedDocument> {
    return this.fill(caller, { record, revision, content }, await this.html(record, revision, content))
  }

  async fill(
    caller: Caller,
    { record, revision, content }: FoundRevision,
    html: Html,
  ): Promise<RenderedDocument> {
    const own = content.digest.frontmatter?.fields ?? {}
    const status = revision === record.revision ? displayedStatus(record, own) : null
    return {
      id: record.id,
      title: content.digest.title ?? record.title,
      revision,
      html: await this.deps.slotFiller.fill(caller, record, html),
      outline: html.outline,
      fields: status === null ? own : { ...own, status },
      isPlain: html.isPlain,
    }
  }

  async prerender(record: DocumentRecord): Promise<void> {
    const content = this.shared.contents.find(record.id, record.revision)
    if (content) await this.html(record, record.revision, content, 'background')
  }

  private html(
    record: DocumentRecord,
    revision: string,
    { stored, digest }: RevisionContent,
    priority: 'answering' | 'background' = 'answering',
  ): Promise<Html> {
    const names = this.shared.members.names()
    const title = digest.title ?? record.title
    const origin = this.shared.pageUrl('')
    // Other names, or another title, change the text of the same bytes.
    const key = JSON.stringify([record.id, revision, title, mentionedNames(digest.mentions, names)])
    const isStored = stored.length >= largeTextBytes && revision === record.revision
    const renderHtml = () => {
      const displayed = displayedText({ stored, digest, title, names })
      return this.shared.markdown.html({ ...displayed, origin, isPlain: digest.plain !== null }, priority)
    }
    return this.deps.cache.html(`${origin} ${key}`, renderHtml, isStored ? record : undefined)
  }
}
