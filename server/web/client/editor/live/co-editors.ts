import { EditorView } from '@codemirror/view'
import type {
  JoinedMessage,
  LeftMessage,
  OpenedMessage,
  SelectionMessage,
  UpdatesMessage,
} from '../../../../../core/live/protocol.ts'
import { showToast } from '../../toast.ts'
import type { EditSession } from '../edit-session.ts'
import type { Revision } from '../file.ts'
import { someoneOnDisk } from '../writer-names.ts'
import { blockPosition } from './block-position.ts'
import type { LiveLink } from './link.ts'
import { type Peer, peersField, setPeers } from './peers.ts'
import { PeopleHere } from './people.ts'
import type { SharedText } from './shared-text.ts'

const selectionEveryMs = 100

/** Shows the peers' cursors, and sends them this one. */
export class CoEditors {
  private readonly work: EditSession
  private readonly shared: SharedText
  private readonly link: LiveLink
  private readonly savedRevision: () => Promise<Revision>
  private readonly people: PeopleHere
  private readonly ownId = document.body.dataset.member
  private timer: ReturnType<typeof setTimeout> | undefined
  private sent = ''

  /** @param savedRevision the revision whose blocks presence refers to */
  constructor(work: EditSession, shared: SharedText, link: LiveLink, savedRevision: () => Promise<Revision>) {
    this.work = work
    this.savedRevision = savedRevision
    this.shared = shared
    this.link = link
    this.people = new PeopleHere(work.view, work.page.heading)
    this.people.onGo((clientId) => this.goTo(clientId))
  }

  opened({ people }: OpenedMessage): void {
    this.sent = ''
    this.replace(
      people
        .filter(({ clientId }) => clientId !== this.shared.clientId)
        .map((one) => ({ ...one, ranges: this.placesOf(this.shared.version, one.ranges) })),
    )
    for (const { clientId, block } of people) if (block !== undefined) this.findBlock(clientId, block)
    this.moved()
  }

  joined({ clientId, member, block }: JoinedMessage): void {
    if (clientId === this.shared.clientId) return
    this.replace([...this.others(clientId), { clientId, member, ranges: [] }])
    if (block !== undefined) this.findBlock(clientId, block)
  }

  left({ clientId }: LeftMessage): void {
    this.replace(this.others(clientId))
  }

  selected({ clientId, member, version, ranges }: SelectionMessage): void {
    if (clientId === this.shared.clientId) return
    const isNew = this.peers.every((peer) => peer.clientId !== clientId)
    const known = this.peers.find((peer) => peer.clientId === clientId)
    const peer = { clientId, member: known?.member ?? member, ranges: this.placesOf(version, ranges) }
    this.dispatch([...this.others(clientId), peer])
    if (isNew) this.people.show(this.peers, this.ownId)
  }

  /** Announces others' changes, though not each keystroke. */
  wrote({ updates }: UpdatesMessage): void {
    for (const { clientId, member, origin, changes } of updates) {
      if (clientId === this.shared.clientId || origin === 'save') continue
      const isOwn = member.id === this.ownId
      if (origin !== 'typing') showToast(wordsOfWrite(this.work.noun, origin, isOwn ? null : member.name))
      else if (!isOwn) {
        const peer = this.peers.find((one) => one.clientId === clientId)
        this.people.typed(member.name, peer?.ranges[0]?.[1] ?? startOf(changes))
      }
    }
  }

  moved(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.sendSelection()
    }, selectionEveryMs)
  }

  lost(): void {
    this.replace([])
  }

  end(): void {
    clearTimeout(this.timer)
    this.replace([])
    this.people.remove()
  }

  /** Agents have no cursor, but say at which block they work. */
  private findBlock(clientId: string, block: string): void {
    // On failure the agent appears only in the list.
    this.showBlock(clientId, block).catch(() => {})
  }

  private async showBlock(clientId: string, block: string): Promise<void> {
    const { file, view } = this.work
    const base = await this.savedRevision()
    const at = await blockPosition(file.details.path!, base, block, () => view.state.doc)
    if (at === null) return
    this.dispatch(
      this.peers.map((peer) => (peer.clientId === clientId ? { ...peer, ranges: [[at, at]] } : peer)),
    )
  }

  private sendSelection(): void {
    const { ranges } = this.work.view.state.selection
    const places = ranges.map(
      ({ anchor, head }) => [this.shared.toSynced(anchor), this.shared.toSynced(head)] as [number, number],
    )
    const now = JSON.stringify(places)
    if (now === this.sent) return
    if (this.link.send({ type: 'selection', version: this.shared.version, ranges: places })) this.sent = now
  }

  private get peers(): readonly Peer[] {
    return this.work.view.state.field(peersField)
  }

  private others(clientId: string): Peer[] {
    return this.peers.filter((peer) => peer.clientId !== clientId)
  }

  private replace(peers: readonly Peer[]): void {
    this.dispatch(peers)
    this.people.show(peers, this.ownId)
  }

  private dispatch(peers: readonly Peer[]): void {
    this.work.view.dispatch({ effects: setPeers.of(peers) })
  }

  private placesOf(version: number, ranges: readonly (readonly [number, number])[]): [number, number][] {
    return ranges.flatMap(([anchor, head]) => {
      const places = [this.shared.fromVersion(version, anchor), this.shared.fromVersion(version, head)]
      const [from, to] = places
      return from == null || to == null ? [] : [[from, to] as [number, number]]
    })
  }

  private goTo(clientId: string): void {
    const head = this.peers.find((peer) => peer.clientId === clientId)?.ranges[0]?.[1]
    if (head === undefined) return
    const { view } = this.work
    view.dispatch({ effects: EditorView.scrollIntoView(head, { y: 'center' }) })
  }
}

/** @param name null for the reader */
function wordsOfWrite(noun: string, origin: 'file' | 'put', name: string | null): string {
  if (origin === 'file') return `${someoneOnDisk} changed this ${noun}.`
  return name === null ? `You changed this ${noun} elsewhere.` : `${name} changed this ${noun}.`
}

function startOf(changes: unknown): number {
  const [first] = changes as unknown[]
  return typeof first === 'number' ? first : 0
}
