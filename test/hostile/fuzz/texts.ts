import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type HttpResponse, request } from '../../support/http-client.ts'
import type { CampaignRun } from '../campaign.ts'
import type { Corpus } from './corpus.ts'
import { markdownPieces, nastyTexts } from './dictionary.ts'
import { mutateText, wellFormed } from './mutation.ts'
import { boundMs } from './responses.ts'
import type { FuzzWorkspace } from './workspace.ts'

/** A text to store, and a replacement for one of its blocks. */
export interface TextInput {
  text: string
  replacement: string
  /** The writable block to replace, modulo their number. */
  block: number
}

export interface TextOutcome {
  problems: string[]
  /** The status and the types of blocks, for the corpus. */
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

/** Documents for texts, each used by one try at a time. */
export class Texts {
  private constructor(
    private readonly workspace: FuzzWorkspace,
    private readonly ids: string[],
  ) {}

  static async open(workspace: FuzzWorkspace, count: number): Promise<Texts> {
    await workspace.call('POST', '/v1/fs/projects', { name: 'Texts' })
    const ids: string[] = []
    for (let n = 0; n < count; n++) {
      const { json } = await workspace.call('PUT', `/v1/fs/projects/texts/docs/slot-${n}.md`, `# Slot ${n}\n`)
      ids.push(json.id)
    }
    return new Texts(workspace, ids)
  }

  /** Stores a text, reads it, writes one block, and appends. @param slot the document */
  async attack({ text, replacement, block }: TextInput, slot: number): Promise<TextOutcome> {
    const path = `/v1/fs/projects/texts/docs/${this.ids[slot]!}`
    const problems: string[] = []
    const expectStatus = async (
      method: string,
      query: string,
      statuses: number[],
      body?: string,
    ): Promise<HttpResponse> => {
      const startedMs = performance.now()
      const response = await request(this.workspace.url, method, path + query, {
        key: this.workspace.keys.owner,
        ...(body !== undefined && { body, headers: { 'Content-Type': 'text/markdown' } }),
      })
      const ms = performance.now() - startedMs
      if (ms > boundMs) problems.push(`${method} ${query} took ${Math.round(ms)} ms`)
      if (!statuses.includes(response.status))
        problems.push(`${method} ${query}: ${response.status} ${response.text.slice(0, 300)}`)
      return response
    }
    const sent = await expectStatus('PUT', '', [201, 422], text)
    if (sent.status !== 201) return { problems, kind: `text ${sent.status} ${messageKind(sent)}` }
    const read = (await expectStatus('GET', '', [200])).text
    const again = await expectStatus('PUT', '', [201], read)
    if (again.json?.changed !== false) problems.push('a read that is sent back counts as a change')
    const view = await expectStatus('GET', '?view=blocks', [200, 422])
    const blocks: Block[] = view.json?.blocks ?? []
    problems.push(...blockProblems(blocks, read))
    const kind = `text ${view.status} ${[...new Set(blocks.map(({ type }) => type))].slice(0, 12).join(' ')}`
    const writable = blocks.filter((one) => one.writable)
    if (writable.length > 0) {
      const chosen = writable[block % writable.length]!
      const before = this.stored(again)
      const written = await expectStatus('PUT', `?block=${chosen.id}`, [201, 422], replacement)
      if (written.status === 201) {
        const range = storedRange(chosen, read, before)
        problems.push(...writeProblems(before, this.stored(written), range, replacement, read))
      }
    }
    const whole = (await expectStatus('GET', '', [200])).text
    const storedWhole = this.stored(await expectStatus('PUT', '', [201], whole))
    const longer = await expectStatus('PUT', '', [201, 422], whole + tail)
    if (longer.status === 201 && !storedWhole.includes('@') && this.stored(longer) !== storedWhole + tail) {
      problems.push(
        `adding to the end changed more: ${JSON.stringify(storedWhole.slice(0, 400))} became ${JSON.stringify(this.stored(longer).slice(0, 400))}`,
      )
    }
    return { problems, kind }
  }

  private stored(written: HttpResponse): string {
    if (written.status !== 201) return ''
    return readFileSync(join(this.workspace.home, 'projects/texts/documents', written.json.filename), 'utf8')
  }
}

const messageKind = ({ json, text }: HttpResponse): string =>
  String(json?.message ?? text)
    .replace(/\d+|`[^`]*`|"[^"]*"/g, '·')
    .slice(0, 80)

/** Blocks of a view must be unique, in order and without overlap. */
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
  if (new Set(blocks.map(({ id }) => id)).size !== blocks.length) problems.push('an id appears twice')
  return problems
}

/** The offsets of a block in the file: the read and the file have the same end. */
function storedRange({ offsets }: Block, read: string, stored: string): [from: number, to: number] {
  const shift = read.length - stored.length
  return [offsets[0] - shift, offsets[1] - shift]
}

/** A block write must change only that block. Texts with mentions are left out: offsets differ there. */
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
  // A BOM is dropped as at the beginning of a file.
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
