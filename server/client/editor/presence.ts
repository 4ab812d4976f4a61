import { call } from '../api.ts'
import { type EditedFile, linesAbove, type Revision } from './file.ts'
import { hunksBetween } from './hunks.ts'

const heartbeatMs = 45_000
const idleMs = 3000
/** UTF-16 code units. For longer text no block is reported. */
const maxTextLength = 200_000

interface Block {
  id: string
  writable: boolean
  lines: [number, number]
}

/** Reports to others that the reader is writing, and in which block. Only documents have presence. */
export class EditPresence {
  private readonly file: EditedFile
  private readonly getPosition: () => Promise<{ base: Revision; text: string; line: number }>
  private blocks: { revision: string; list: Promise<Block[]> } | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  private line = -1

  /** @param getPosition the edited revision, the current text, and the cursor's line (from 0) */
  constructor(file: EditedFile, getPosition: () => Promise<{ base: Revision; text: string; line: number }>) {
    this.file = file
    this.getPosition = getPosition
    document.addEventListener('visibilitychange', () => this.schedule(0))
    addEventListener('pagehide', () => this.sendLeave())
    this.schedule(0)
  }

  noteLine(line: number): void {
    if (line === this.line) return
    this.line = line
    this.schedule(idleMs)
  }

  private schedule(ms: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.sendHeartbeat(), ms)
  }

  private async sendHeartbeat(): Promise<void> {
    const { path } = this.file.details
    if (path === null || document.visibilityState !== 'visible') return
    this.schedule(heartbeatMs)
    const block = await this.findBlock().catch(() => undefined)
    const query = new URLSearchParams({ kind: 'editing', ...(block && { block: block.id }) })
    await call('POST', `${path}/_presence?${query}`).catch(() => {})
  }

  private sendLeave(): void {
    const { path } = this.file.details
    if (path !== null) void call('POST', `${path}/_presence?leave`, { keepalive: true }).catch(() => {})
  }

  private async findBlock(): Promise<Block | undefined> {
    const { base, text, line } = await this.getPosition()
    if (base.text.length > maxTextLength) return undefined
    const savedLine = lineBefore(base.text.split('\n'), text.split('\n'), line)
    const fileLine = savedLine + 1 + linesAbove(base)
    const blocks = await this.blocksOf(base)
    // Whatever follows a block, such as a blank line, belongs to it.
    return blocks.findLast(({ writable, lines: [from] }) => writable && from <= fileLine)
  }

  private blocksOf({ name }: Revision): Promise<Block[]> {
    if (this.blocks?.revision !== name) {
      const list = call('GET', `${this.file.details.path}?view=blocks`).then(
        ({ json }) => json.blocks as Block[],
      )
      this.blocks = { revision: name, list }
    }
    return this.blocks!.list
  }
}

/** Maps a line of the current text to the text before. From 0. */
function lineBefore(before: string[], current: string[], line: number): number {
  let shift = 0
  for (const { from, to, lines } of hunksBetween(before, current)) {
    const start = from + shift
    if (line < start) break
    if (line < start + lines.length) return Math.min(from, before.length - 1)
    shift += lines.length - (to - from)
  }
  return Math.max(0, line - shift)
}
