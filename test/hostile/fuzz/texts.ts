import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, request } from '../../support/http-client.ts'
import type { CampaignRun } from '../campaign.ts'
import type { Corpus } from './corpus.ts'
import { markdownPieces, nastyTexts } from './dictionary.ts'
import { mutateText, wellFormed } from './mutation.ts'
import { boundMs } from './responses.ts'
import type { FuzzWorkspace } from './workspace.ts'

/** A text that is stored, and what then takes the place of one of its blocks. */
export interface TextInput {
  text: string
  replacement: string
  /** Which of the blocks that can be written, counted round. */
  block: number
}

export interface TextOutcome {
  problems: string[]
  /** By what texts are told apart: what became of it, and of what blocks it is made. */
  kind: string
}

interface Block {
  id: string
  writable: boolean
  type: string
  lines: [number, number]
  offsets: [number, number]
}

const tail = '\n\nThe tail.\n'

export function drawText(run: CampaignRun, corpus: Corpus): TextInput {
  const assembled = () => Array.from({ length: run.below(40) }, () => run.pick(markdownPieces)).join('')
  const fence = run.below(3) === 0 ? `---\n${assembled()}---\n` : ''
  const text =
    corpus.texts.length > 0 && run.below(2) === 0
      ? mutateText(run, run.pick(corpus.texts), run.below(4) === 0 ? nastyTexts : markdownPieces)
      : fence + (run.below(5) > 0 ? '# Fuzz\n\n' : '') + assembled()
  return {
    text: wellFormed(text).replaceAll('\0', ''),
    replacement: wellFormed(run.below(2) === 0 ? 'Replaced.' : assembled()).replaceAll('\0', ''),
    block: run.below(1000),
  }
}

/** Documents that texts are written to, each to one at a time. */
export class Texts {
  private readonly workspace: FuzzWorkspace
  private readonly ids: string[]

  private constructor(workspace: FuzzWorkspace, ids: string[]) {
    this.workspace = workspace
    this.ids = ids
  }

  static async open(workspace: FuzzWorkspace, count: number): Promise<Texts> {
    await workspace.call('POST', '/v1/fs/projects', { name: 'Texts' })
    const ids: string[] = []
    for (let n = 0; n < count; n++) {
      const { json } = await workspace.call('PUT', `/v1/fs/projects/texts/docs/slot-${n}.md`, `# Slot ${n}\n`)
      ids.push(json.id)
    }
    return new Texts(workspace, ids)
  }

  /** Stores a text, reads and views it, writes one of its blocks, and adds to its end. @param slot the document */
  async attack({ text, replacement, block }: TextInput, slot: number): Promise<TextOutcome> {
    const path = `/v1/fs/projects/texts/docs/${this.ids[slot]!}`
    const problems: string[] = []
    const ask = async (method: string, query: string, statuses: number[], body?: string): Promise<Answer> => {
      const beganMs = performance.now()
      const answer = await request(this.workspace.url, method, path + query, {
        key: this.workspace.keys.owner,
        ...(body !== undefined && { body, headers: { 'Content-Type': 'text/markdown' } }),
      })
      const ms = performance.now() - beganMs
      if (ms > boundMs) problems.push(`${method} ${query} took ${Math.round(ms)} ms`)
      if (!statuses.includes(answer.status))
        problems.push(`${method} ${query}: ${answer.status} ${answer.text.slice(0, 300)}`)
      return answer
    }
    const sent = await ask('PUT', '', [201, 422], text)
    if (sent.status !== 201) return { problems, kind: `text ${sent.status} ${messageKind(sent)}` }
    const read = (await ask('GET', '', [200])).text
    const again = await ask('PUT', '', [201], read)
    if (again.json?.changed !== false) problems.push('a read that is sent back counts as a change')
    const view = await ask('GET', '?view=blocks', [200, 422])
    const blocks: Block[] = view.json?.blocks ?? []
    problems.push(...blockProblems(blocks, read))
    const kind = `text ${view.status} ${[...new Set(blocks.map(({ type }) => type))].slice(0, 12).join(' ')}`
    const writable = blocks.filter((one) => one.writable)
    if (writable.length > 0) {
      const chosen = writable[block % writable.length]!
      const before = this.stored(again)
      const written = await ask('PUT', `?block=${chosen.id}`, [201, 422], replacement)
      if (written.status === 201) {
        const place = storedPlace(chosen, read, before)
        problems.push(...writeProblems(before, this.stored(written), place, replacement, read))
      }
    }
    const whole = (await ask('GET', '', [200])).text
    const stood = this.stored(await ask('PUT', '', [201], whole))
    const longer = await ask('PUT', '', [201, 422], whole + tail)
    if (longer.status === 201 && !stood.includes('@') && this.stored(longer) !== stood + tail) {
      problems.push(
        `adding to the end changed more: ${JSON.stringify(stood.slice(0, 400))} became ${JSON.stringify(this.stored(longer).slice(0, 400))}`,
      )
    }
    return { problems, kind }
  }

  /** The file's text after a write. */
  private stored(written: Answer): string {
    if (written.status !== 201) return ''
    return readFileSync(join(this.workspace.home, 'projects/texts/documents', written.json.filename), 'utf8')
  }
}

const messageKind = ({ json, text }: Answer): string =>
  String(json?.message ?? text)
    .replace(/\d+|`[^`]*`|"[^"]*"/g, '·')
    .slice(0, 80)

/** What a view of blocks has to hold: each once, in order, none with a part of another. */
function blockProblems(blocks: Block[], read: string): string[] {
  const problems: string[] = []
  let end = 0
  let line = 0
  for (const { id, lines, offsets } of blocks) {
    if (offsets[0] < end || offsets[1] < offsets[0] || offsets[1] > read.length)
      problems.push(`${id} lies at ${offsets}, not after ${end}`)
    if (lines[0] <= line || lines[1] < lines[0])
      problems.push(`${id} has the lines ${lines}, not after ${line}`)
    ;[end, line] = [offsets[1], lines[1]]
  }
  if (new Set(blocks.map(({ id }) => id)).size !== blocks.length) problems.push('an id stands twice')
  return problems
}

/** Where a block of a read lies in the file: both end with the same text. */
function storedPlace({ offsets }: Block, read: string, stored: string): [from: number, to: number] {
  const shift = read.length - stored.length
  return [offsets[0] - shift, offsets[1] - shift]
}

/** A block write changes the bytes of that block and no other. Where names are mentioned, places cannot be told so simply. */
function writeProblems(
  before: string,
  after: string,
  [from, to]: [from: number, to: number],
  replacement: string,
  read: string,
): string[] {
  if (before.includes('@') || replacement.includes('@')) return []
  const shift = read.length - before.length
  if (before.slice(from, to) !== read.slice(from + shift, to + shift))
    return ['the block is not in the file as it was read']
  const isAround = after.startsWith(before.slice(0, from)) && after.endsWith(before.slice(to))
  const between = after.slice(from, after.length - (before.length - to))
  // A BOM is dropped, as at the beginning of a file.
  const sent = replacement.replace(/^\uFEFF+/, '').replace(/[\r\n]+$/, '')
  const isBetween = [sent, sent.replace(/\r?\n/g, '\r\n')].includes(between)
  if (isAround && isBetween) return []
  return [
    `a block write changed more: ${JSON.stringify(before)} at ${from} to ${to} with ${JSON.stringify(replacement)} became ${JSON.stringify(after)}`.slice(
      0,
      3000,
    ),
  ]
}
