import type { EditorView } from '@codemirror/view'
import { colorsOf, type Peer } from './peers.ts'

/** Members who type within this time are announced together. */
const announceAfterMs = 1500
/** The same announcement is not repeated sooner. */
const repeatAfterMs = 60_000
/** Nor is a change of section, which may only be a renamed heading. */
const moveAfterMs = 10_000

/** Lists those who have the text open, and announces who is writing where. */
export class PeopleHere {
  private readonly list: HTMLElement
  private readonly voice: HTMLElement
  private readonly view: EditorView
  private readonly announced = new Map<string, { section: string; atMs: number }>()
  private readonly typing = new Map<string, string>()
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(view: EditorView, after: HTMLElement) {
    this.view = view
    this.list = document.createElement('ul')
    this.list.className = 'editor-present'
    this.list.ariaLabel = 'People in this text'
    this.list.hidden = true
    this.voice = document.createElement('p')
    this.voice.className = 'unseen'
    this.voice.role = 'status'
    after.after(this.list, this.voice)
  }

  /** @param ownId the reader's member id, whose other windows are labelled as such */
  show(peers: readonly Peer[], ownId: string | undefined): void {
    const byMember = new Map<string, Peer>()
    for (const peer of peers) if (!byMember.has(peer.member.id)) byMember.set(peer.member.id, peer)
    this.list.hidden = byMember.size === 0
    const colors = colorsOf(peers)
    const focused = (document.activeElement as HTMLElement | null)?.dataset.peer
    this.list.replaceChildren(
      ...[...byMember.values()].map((peer) => this.item(peer, ownId, colors.get(peer.member.id)!)),
    )
    if (focused !== undefined) this.list.querySelector<HTMLElement>(`[data-peer="${focused}"]`)?.focus()
  }

  typed(name: string, position: number): void {
    this.typing.set(name, sectionAt(this.view, position))
    this.timer ??= setTimeout(() => this.announce(), announceAfterMs)
  }

  remove(): void {
    clearTimeout(this.timer)
    this.list.remove()
    this.voice.remove()
  }

  private item({ clientId, member }: Peer, ownId: string | undefined, color: string): HTMLElement {
    const item = document.createElement('li')
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'small second'
    button.dataset.peer = member.id
    button.style.setProperty('--peer', color)
    const name = document.createElement('bdi')
    name.textContent = member.id === ownId ? 'You, in another window' : member.name
    button.append(name)
    button.title = 'Show where they are'
    button.dataset.go = clientId
    item.append(button)
    return item
  }

  private announce(): void {
    this.timer = undefined
    const now = performance.now()
    const lines: string[] = []
    for (const [name, section] of this.typing) {
      const last = this.announced.get(name)
      if (last && now - last.atMs < (last.section === section ? repeatAfterMs : moveAfterMs)) continue
      this.announced.set(name, { section, atMs: now })
      lines.push(section === '' ? `${name} is typing.` : `${name} is typing in the section ${section}.`)
    }
    this.typing.clear()
    if (lines.length > 0) this.voice.textContent = lines.join(' ')
  }

  onGo(go: (clientId: string) => void): void {
    this.list.addEventListener('click', ({ target }) => {
      const button = (target as Element).closest<HTMLElement>('button[data-go]')
      if (button) go(button.dataset.go!)
    })
  }
}

const maxLinesAbove = 2000

/** Returns the nearest heading above a position; `''` if there is none. */
function sectionAt({ state: { doc } }: EditorView, position: number): string {
  const { number } = doc.lineAt(Math.min(position, doc.length))
  for (let line = number; line > Math.max(0, number - maxLinesAbove); line--) {
    const heading = /^#{1,6}[ \t]+(.+?)[ \t]*#*$/.exec(doc.line(line).text.trimEnd())?.[1]
    if (heading !== undefined) return heading.slice(0, 100)
  }
  return ''
}
