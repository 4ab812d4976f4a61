import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { RevisionsTable } from '../../data/tables/revisions.ts'
import { neighbouringBlocks } from '../documents/content/stale-block.ts'
import type { Reads } from '../documents/reading/reads.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { BlockSummary } from '../markdown/index.ts'
import { readableText } from '../markdown/readable-text.ts'
import type { ProjectStore } from '../projects/project-store.ts'

export interface QuotedBlock {
  id: string
  quote: string
  revision: string
}

interface CommentBlocksDeps {
  reads: Pick<Reads, 'ownBlocks' | 'viewText'>
  revisions: RevisionsTable
  projects: ProjectStore
}

type ViewedBlock = Omit<BlockSummary, 'preview'> & { text: string }

const maxQuoteLength = 200
const maxPreviewLength = 80

export class CommentBlocks {
  constructor(private readonly deps: CommentBlocksDeps) {}

  async idsOf(record: DocumentRecord): Promise<Set<string>> {
    const project = this.deps.projects.find(record.projectId)!
    return new Set((await this.deps.reads.ownBlocks(record, project)).map(({ id }) => id))
  }

  /** @throws WorkspaceError `conflict` for an unknown block; `bad_request` for one of the envelope */
  async require(record: DocumentRecord, blockId: string): Promise<QuotedBlock> {
    const blocks = await this.viewBlocks(record)
    const id = blockId.toLowerCase()
    const found = blocks.find((block) => block.id === id)
    if (!found) throw this.missingBlockError(record, blockId, blocks)
    if (!found.writable) {
      throw new WorkspaceError(
        'bad_request',
        'This block is the title or the frontmatter. Leave block out to comment on the whole file.',
      )
    }
    return { id, quote: truncate(readableText(found.text), maxQuoteLength), revision: record.revision }
  }

  private async viewBlocks(record: DocumentRecord): Promise<ViewedBlock[]> {
    const project = this.deps.projects.find(record.projectId)!
    const view = await this.deps.reads.viewText(record, project, 'blocks')
    if (view !== null) return (JSON.parse(view) as { blocks: ViewedBlock[] }).blocks
    throw new WorkspaceError(
      'bad_request',
      'This file is kept as plain text and has no blocks. Leave block out to comment on the whole file.',
    )
  }

  private missingBlockError(
    record: DocumentRecord,
    block: string,
    viewedBlocks: ViewedBlock[],
  ): WorkspaceError {
    const blocks = viewedBlocks.map(({ id, writable, type, lines, text }) => ({
      id,
      writable,
      type,
      lines,
      preview: truncate(text, maxPreviewLength),
    }))
    return new WorkspaceError(
      'conflict',
      `There is no block ${JSON.stringify(block.slice(0, 40))} in this file (any more). Take the new id from blocks, which lists those near its former position, and comment again.`,
      {
        fields: {
          block,
          blocks: neighbouringBlocks(this.deps, record, block, blocks),
          currentRevision: record.revision,
        },
      },
    )
  }
}

/** Cuts by characters, not by code units, and puts them on one line. */
function truncate(text: string, maxLength: number): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()]
  return characters.length > maxLength ? `${characters.slice(0, maxLength).join('')}…` : characters.join('')
}
