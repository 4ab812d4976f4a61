import { slug } from 'github-slugger'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { Reads } from '../documents/reading/reads.ts'
import type { Reference } from './reference.ts'

/** How many documents are checked for one response; anchors in others count as existing. */
const maxDocuments = 100

export class Fragments {
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
