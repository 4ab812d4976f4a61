import { slug } from 'github-slugger'
import { TimeSlice } from '../../data/scheduling/time-slice.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { LinkKey } from '../../data/tables/links.ts'
import type { Caller } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import type { AddressResolver } from '../documents/addressing/address-resolver.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import { docTypes } from '../documents/model/document-kinds.ts'
import { treePath } from '../documents/model/document-paths.ts'
import { mayRead } from '../documents/model/readable-documents.ts'
import type { Address } from '../documents/model/types.ts'
import type { Reads } from '../documents/reading/reads.ts'
import { mostRecentlyEdited } from '../documents/sorting/list-order.ts'
import { TopItems } from '../documents/sorting/top-items.ts'
import type { LinksDeps } from './deps.ts'
import { documentKeys, keysFor, type LinkSource } from './link-keys.ts'
import { LinkResolver } from './link-resolver.ts'
import { parseReference, type Reference } from './reference.ts'
import type { Backlink, BacklinkTarget, LinkView } from './types.ts'

const maxBacklinks = 100

/** Of as many documents as a workspace has. */
const maxSources = 1000
const sourcesPerQuery = 500

/** Links and backlinks. Whether a link is dead is decided on request. */
export class Links {
  private readonly shared: LinksDeps
  private readonly addressing: AddressResolver
  private readonly disk: Pick<DiskSync, 'isMounted'>
  private readonly reads: Reads
  private readonly resolver: LinkResolver

  constructor(
    shared: LinksDeps,
    deps: { addressing: AddressResolver; disk: Pick<DiskSync, 'isMounted'>; reads: Reads },
  ) {
    this.shared = shared
    this.addressing = deps.addressing
    this.disk = deps.disk
    this.reads = deps.reads
    this.resolver = new LinkResolver(shared)
  }

  /** In the file's order. */
  async linksIn(caller: Caller, address: Address): Promise<{ document: BacklinkTarget; links: LinkView[] }> {
    const { record, project } = await this.addressing.require(caller, address, 'read')
    const tokens = this.shared.links.of(record.id).map(({ token }) => token)
    return { document: subjectOf(record, project), links: await this.resolve(caller, record, tokens) }
  }

  async resolve(caller: Caller, source: LinkSource, tokens: readonly string[]): Promise<LinkView[]> {
    const fragments = new Fragments(this.shared, this.reads)
    const views: LinkView[] = []
    for (const token of tokens) {
      const reference = parseReference(token)
      if (reference) views.push(await this.viewOf(caller, token, reference, { source, fragments }))
    }
    return views
  }

  /** The most recently edited first. Several links of one file to the same place count once. */
  async backlinks(
    caller: Caller,
    address: Address,
  ): Promise<{ document: BacklinkTarget; backlinks: Backlink[] }> {
    const { record, project } = await this.addressing.require(caller, address, 'read')
    const keys = documentKeys(record).filter(
      ({ kind, key }) => kind !== 'title' || this.pointsTo(record, key),
    )
    const sources = await this.sourcesOf(caller, record, keys)
    const backlinks = new Map<string, Backlink>()
    for (const source of sources) {
      if (!this.disk.isMounted(source)) continue
      for (const { token, place } of this.shared.links.leadingTo(source.id, keysFor(source, record, keys))) {
        const anchor = anchorOf(parseReference(token)!)
        const key = `${source.id} ${anchor}`
        if (!backlinks.has(key)) backlinks.set(key, this.backlinkOf(source, anchor, place))
        if (backlinks.size === maxBacklinks) break
      }
      if (backlinks.size === maxBacklinks) break
    }
    return { document: subjectOf(record, project), backlinks: [...backlinks.values()] }
  }

  /** Documents that the caller may read, the most recently edited first. Reads long lists in time slices. */
  private async sourcesOf(
    caller: Caller,
    target: DocumentRecord,
    keys: readonly LinkKey[],
  ): Promise<DocumentRecord[]> {
    const { catalogue, links, projects } = this.shared
    const newest = new TopItems(maxSources, mostRecentlyEdited.compare)
    const slice = new TimeSlice()
    for (const key of keys) {
      let ids: string[] = []
      do {
        while (ids.length > 0 && slice.isOver) await slice.pause()
        ids = links.sources(key, ids.at(-1) ?? '', sourcesPerQuery)
        for (const id of ids) {
          const record = catalogue.find(id)
          if (!record || record.id === target.id || !mayRead(caller, record, projects)) continue
          if (keysFor(record, target, [key]).length > 0) newest.add(record)
        }
      } while (ids.length === sourcesPerQuery)
    }
    return newest.sorted()
  }

  /** A title refers to one of several documents. */
  private pointsTo(record: DocumentRecord, title: string): boolean {
    return this.resolver.byTitle(record.projectId, title)?.id === record.id
  }

  private async viewOf(
    caller: Caller,
    token: string,
    reference: Reference,
    { source, fragments }: { source: LinkSource; fragments: Fragments },
  ): Promise<LinkView> {
    const record = this.resolver.document(caller, reference, source)
    const target = record ? this.resolver.targetOf(record) : this.resolver.pull(caller, reference, source)
    const { label, isEmbed } = reference
    return {
      token,
      type: target?.type ?? null,
      id: target?.id ?? null,
      title: target?.title ?? null,
      path: target?.path ?? null,
      url: target?.url ?? null,
      anchor: anchorOf(reference),
      label,
      isEmbed,
      isDead: target === null || (record !== null && !(await fragments.exists(record, reference))),
    }
  }

  private backlinkOf(source: DocumentRecord, anchor: string | null, place: number): Backlink {
    const { id, title, path, url } = this.resolver.targetOf(source)
    const context = this.shared.linkContexts.at(id, place) ?? ''
    return { id, docType: docTypes[source.kind], title, path, url, anchor, context }
  }
}

const anchorOf = ({ anchor, block }: Reference): string | null => (block === null ? anchor : `^${block}`)

const subjectOf = (record: DocumentRecord, project: Project): BacklinkTarget => ({
  id: record.id,
  title: record.title,
  path: treePath(project, record),
})

/** How many documents are checked for one response; anchors in others count as existing. */
const maxDocuments = 100

class Fragments {
  private readonly anchors = new Map<string, Promise<Set<string>>>()
  private readonly blocks = new Map<string, Promise<Set<string>>>()

  constructor(
    private readonly deps: Pick<SharedDeps, 'projects'>,
    private readonly reads: Reads,
  ) {}

  async exists(
    record: DocumentRecord,
    { anchor, block }: Pick<Reference, 'anchor' | 'block'>,
  ): Promise<boolean> {
    if (block !== null) return (await this.idsOf(this.blocks, record, blocksOf))?.has(block) ?? true
    if (anchor === null) return true
    const anchors = await this.idsOf(this.anchors, record, anchorsOf)
    return anchors === null || anchors.has(anchor.toLowerCase()) || anchors.has(slug(anchor))
  }

  private async idsOf(
    cache: Map<string, Promise<Set<string>>>,
    record: DocumentRecord,
    read: (reads: Reads, record: DocumentRecord, deps: Pick<SharedDeps, 'projects'>) => Promise<Set<string>>,
  ): Promise<Set<string> | null> {
    if (!cache.has(record.id) && this.anchors.size + this.blocks.size >= maxDocuments) return null
    const found = cache.get(record.id) ?? read(this.reads, record, this.deps)
    cache.set(record.id, found)
    return found
  }
}

async function anchorsOf(
  reads: Reads,
  record: DocumentRecord,
  { projects }: Pick<SharedDeps, 'projects'>,
): Promise<Set<string>> {
  const text = await reads.viewText(record, projects.find(record.projectId)!, 'outline')
  const { headings } = JSON.parse(text ?? '{"headings":[]}') as { headings: { anchor: string }[] }
  return new Set(headings.map(({ anchor }) => anchor))
}

async function blocksOf(
  reads: Reads,
  record: DocumentRecord,
  { projects }: Pick<SharedDeps, 'projects'>,
): Promise<Set<string>> {
  const blocks = await reads.ownBlocks(record, projects.find(record.projectId)!)
  return new Set(blocks.map(({ id }) => id))
}
