import { isUtf8 } from 'node:buffer'
import { contentError, noBlocksError } from './content-error.ts'
import { EditedBlocks, type Span } from './edited-blocks.ts'
import { toCrlf, usesCrlf, withoutFinalLineEnds } from './line-ends.ts'
import type { ContentError, Edit, EditConflict, EditedText, EditRequest } from './types.ts'

type Problem = ContentError | EditConflict | { kind: 'too large' }
type BlockEdit = Extract<Edit, { block: string }>
type FindEdit = Extract<Edit, { find: string }>

/** `docs/interface.md#editing-a-file`. @throws RangeError if the file nests too deep for block ids */
export function applyEdits(request: EditRequest): EditedText | Problem {
  if (!isUtf8(request.read)) return noBlocksError('encoding')
  const text = new EditableText(request)
  for (const [index, edit] of request.edits.entries()) {
    const problem = text.apply(edit, index)
    if (problem) return problem
    if (text.length > request.maxBytes) return { kind: 'too large' }
  }
  const bytes = Buffer.from(text.read())
  return bytes.length > request.maxBytes ? { kind: 'too large' } : { kind: 'edited', bytes }
}

/** An edit applies to the author's frontmatter lines or to the body, so that the fence between them stays. */
class EditableText {
  readonly #maxLength: number
  readonly #beforeOwn: string
  readonly #fence: string
  readonly #blocks: EditedBlocks
  readonly #usesCrlf: boolean
  readonly #findable: string
  #own: string
  #body: string

  constructor(request: EditRequest) {
    const source = Buffer.from(request.read).toString()
    const [ownStart, ownEnd] = request.ownLines
    const bodyStart = source.indexOf('\n', ownEnd) + 1
    this.#maxLength = request.maxBytes
    this.#beforeOwn = source.slice(0, ownStart)
    this.#own = source.slice(ownStart, ownEnd)
    this.#fence = source.slice(ownEnd, bodyStart)
    this.#body = source.slice(bodyStart)
    this.#blocks = new EditedBlocks(request, bodyStart)
    this.#usesCrlf = usesCrlf(this.#body)
    this.#findable = this.#own === '' ? this.#body : source.slice(0, 4) + source.slice(ownStart)
  }

  get length(): number {
    return this.#beforeOwn.length + this.#own.length + this.#fence.length + this.#body.length
  }

  read(): string {
    return this.#beforeOwn + this.#own + this.#fence + this.#body
  }

  apply(edit: Edit, index: number): Problem | null {
    if ('append' in edit) return this.#append(edit.append)
    return 'find' in edit ? this.#replace(edit, index) : this.#writeBlock(edit, index)
  }

  #append(text: string): null {
    const separator = this.#body === '' || /[\r\n]$/.test(this.#body) ? '' : '\n'
    this.#body += this.#inFileLineEnds(separator + text)
    return null
  }

  #replace({ find, replace, expectedCount }: FindEdit, index: number): Problem | null {
    const isAsSent = this.#own.includes(find) || this.#body.includes(find)
    const needle = isAsSent ? find : this.#inFileLineEnds(find)
    const inOwn = indexesOf(needle, this.#own)
    const inBody = indexesOf(needle, this.#body)
    const found = inOwn.length + inBody.length
    if (found !== expectedCount)
      return { kind: 'conflict', edit: index, text: this.#findable, found, expectedCount }
    const written = this.#inFileLineEnds(replace)
    if (this.length + found * (written.length - needle.length) > this.#maxLength) return { kind: 'too large' }
    this.#body = withReplaced(this.#body, inBody, needle.length, written)
    for (const start of inBody.reverse()) this.#blocks.resize([start, start + needle.length], written.length)
    return this.#setOwn(withReplaced(this.#own, inOwn, needle.length, written), index)
  }

  #setOwn(own: string, index: number): ContentError | null {
    if (/^---[ \t]*$/m.test(own))
      return contentError(`edits[${index}] would end the frontmatter: no line of it can be \`---\`.`)
    this.#own = own === '' || own.endsWith('\n') ? own : `${own}\n`
    return null
  }

  #writeBlock({ block, text }: BlockEdit, index: number): Problem | null {
    const found = this.#blocks.find(block.toLowerCase(), index)
    if (found.kind === 'unknown')
      return { kind: 'conflict', edit: index, text: this.#findable, block, blocks: found.blocks }
    if (found.kind === 'refusal') return found
    const isRemoved = text.trim() === ''
    const [start, end] = isRemoved ? withBlankLines(found.span, this.#body) : found.span
    const source = isRemoved ? '' : this.#inFileLineEnds(withoutFinalLineEnds(text))
    this.#body = this.#body.slice(0, start) + source + this.#body.slice(end)
    this.#blocks.resize([start, end], source.length)
    return null
  }

  #inFileLineEnds(text: string): string {
    return this.#usesCrlf ? toCrlf(text) : text
  }
}

function indexesOf(needle: string, text: string): number[] {
  const indexes: number[] = []
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length))
    indexes.push(at)
  return indexes
}

function withReplaced(text: string, indexes: readonly number[], length: number, written: string): string {
  let [rest, result] = [0, '']
  for (const index of indexes) {
    result += text.slice(rest, index) + written
    rest = index + length
  }
  return result + text.slice(rest)
}

/** Includes the blank lines up to the next block, or, if the block is last, those after the previous one. */
function withBlankLines([start, end]: Span, body: string): Span {
  const [blank] = /^(?:[ \t]*(?:\r\n|\n|\r))*/.exec(body.slice(end))!
  if (end + blank.length < body.length) return [start, end + blank.length]
  const before = body.slice(0, start).trimEnd()
  const lineEnd = /^[ \t]*(?:\r\n|\n|\r)/.exec(body.slice(before.length))?.[0].length ?? 0
  return [before.length + lineEnd, body.length]
}
