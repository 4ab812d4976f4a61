import { contentError, noBlocksError } from './content-error.ts'
import type { BlockSummary, ContentError, EditRequest } from './types.ts'
import { blockSummary, blocksOfRead } from './views.ts'

export type Span = [start: number, end: number]

const maxBlocksListed = 5000

type Found = { kind: 'span'; span: Span } | { kind: 'unknown'; blocks: BlockSummary[] } | ContentError

/** Follows the blocks that edits name while the body changes. Ids are those before the first edit. */
export class EditedBlocks {
  readonly #plain: EditRequest['plain']
  readonly #read: ReturnType<typeof blocksOfRead> | null
  /** Null if an edit removed one of the boundaries. */
  readonly #spans = new Map<string, Span | null>()
  readonly #written = new Map<string, number>()

  /** @param bodyStart of the read, in UTF-16 code units */
  constructor({ edits, plain, read }: EditRequest, bodyStart: number) {
    const named = new Set(edits.flatMap((edit) => ('block' in edit ? [edit.block.toLowerCase()] : [])))
    this.#plain = plain
    this.#read = plain || named.size === 0 ? null : blocksOfRead(read)
    for (const { id, writable, offsets } of this.#read?.blocks ?? []) {
      const [start, end] = offsets
      if (writable && named.has(id)) this.#spans.set(id, [start - bodyStart, end - bodyStart])
    }
  }

  find(id: string, edit: number): Found {
    if (this.#read === null) return noBlocksError(this.#plain ?? 'budget')
    const span = this.#spans.get(id)
    if (span === undefined) return this.#unwritable(id, edit)
    const written = this.#written.get(id)
    if (written !== undefined) {
      return contentError(
        `edits[${written}] and edits[${edit}] write the same block ${id}: send one of them.`,
      )
    }
    if (span === null) {
      return contentError(
        `An edit before edits[${edit}] changed where block ${id} begins or ends: make one edit of both.`,
      )
    }
    this.#written.set(id, edit)
    return { kind: 'span', span }
  }

  /** The span now has this length. */
  resize([start, end]: Span, length: number): void {
    const shift = length - (end - start)
    for (const [id, span] of this.#spans) {
      if (span === null || start >= span[1]) continue
      if (end <= span[0]) this.#spans.set(id, [span[0] + shift, span[1] + shift])
      else this.#spans.set(id, start >= span[0] && end <= span[1] ? [span[0], span[1] + shift] : null)
    }
  }

  #unwritable(id: string, edit: number): Found {
    const { source, blocks } = this.#read!
    const found = blocks.find((block) => block.id === id)
    if (!found) {
      const listed = blocks.slice(0, maxBlocksListed).map((block) => blockSummary(block, source))
      return { kind: 'unknown', blocks: listed }
    }
    const what = found.type === 'yaml' ? 'the frontmatter' : 'the title'
    return contentError(
      `edits[${edit}]: block ${id} is ${what}, part of the envelope. Change it with find and replace.`,
    )
  }
}
