import type { EditorView } from '@codemirror/view'
import { colorsOf, type Peer } from './peers.ts'

/** Members who type within this time are announced together. */
const announceAfterMs = 1500
/** The same announcement is not repeated sooner. */
const repeatAfterMs = 60_000
/** Nor is a change of section, which may only be a renamed heading. */
const moveAfterMs = 10_000

/** Lists those who have the text open, and announces who is writing where. */
export class PeerList {
  private readonly list: HTMLElement
  private readonly liveRegion: HTMLElement
  private readonly view: EditorView
  private readonly announced = new Map<string, { section: string; atMs: number }>()
  private readonly typing = new Map<string, string>()
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(view: EditorView, anchor: HTMLElement) {
    this.view = view
    this.list = document.createElement('ul')
    this.list.className = 'editor-present'
    this.list.ariaLabel = 'People in this text'
    this.list.hidden = true
    this.liveRegion = document.createElement('p')
    this.liveRegion.className = 'unseen'
    this.liveRegion.role = 'status'
    anchor.after(this.list, this.liveRegion)
  }

  /** @param ownId the reader's member id, whose other windows are labelled as such */
  show(peers: readonly Peer[], ownId: string | undefined): void {
    const byMember = new Map<string, Peer>()
    for (const peer of peers) if (!byMember.has(peer.member.id)) byMember.set(peer.member.id, peer)
    this.list.hidden = byMember.size === 0
    const colors = colorsOf(peers)
    const focused = (document.activeElement as HTMLElement | null)?.dataset.peer
    this.list.replaceChildren(
      ...[...byMember.values()].map((peer) => this.createItem(peer, ownId, colors.get(peer.member.id)!)),
    )
    if (focused !== undefined) this.list.querySelector<HTMLElement>(`[data-peer="${focused}"]`)?.focus()
  }

  noteTyping(name: string, position: number): void {
    this.typing.set(name, sectionAt(this.view, position))
    this.timer ??= setTimeout(() => this.announce(), announceAfterMs)
  }

  remove(): void {
    clearTimeout(this.timer)
    this.list.remove()
    this.liveRegion.remove()
  }

  private createItem({ clientId, member }: Peer, ownId: string | undefined, color: string): HTMLElement {
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
    const sentences: string[] = []
    for (const [name, section] of this.typing) {
      const last = this.announced.get(name)
      if (last && now - last.atMs < (last.section === section ? repeatAfterMs : moveAfterMs)) continue
      this.announced.set(name, { section, atMs: now })
      sentences.push(section === '' ? `${name} is typing.` : `${name} is typing in the section ${section}.`)
    }
    this.typing.clear()
    if (sentences.length > 0) this.liveRegion.textContent = sentences.join(' ')
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
