import type { Text } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type {
  JoinedMessage,
  LeftMessage,
  OpenedMessage,
  SelectionMessage,
  UpdatesMessage,
} from '../../../../core/live/protocol.ts'
import { call } from '../../api.ts'
import { showToast } from '../../feedback.ts'
import type { EditSession } from '../edit-session.ts'
import { linesAbove, type Revision } from '../file.ts'
import { someoneOnDisk } from '../writer-names.ts'
import type { LiveLink } from './link.ts'
import { PeerList } from './peer-list.ts'
import { type Peer, peersField, setPeers } from './peers.ts'
import type { SharedText } from './shared-text.ts'

const selectionIntervalMs = 100

/** Shows the peers' cursors, and sends them this one. */
export class CoEditors {
  private readonly session: EditSession
  private readonly shared: SharedText
  private readonly link: LiveLink
  private readonly loadSavedRevision: () => Promise<Revision>
  private readonly peerList: PeerList
  private readonly ownId = document.body.dataset.member
  private timer: ReturnType<typeof setTimeout> | undefined
  private lastSent = ''

  /** @param loadSavedRevision the revision whose blocks presence refers to */
  constructor(
    session: EditSession,
    shared: SharedText,
    link: LiveLink,
    loadSavedRevision: () => Promise<Revision>,
  ) {
    this.session = session
    this.loadSavedRevision = loadSavedRevision
    this.shared = shared
    this.link = link
    this.peerList = new PeerList(session.view, session.page.heading)
    this.peerList.onGo((clientId) => this.scrollToPeer(clientId))
  }

  handleOpened({ people }: OpenedMessage): void {
    this.lastSent = ''
    this.replacePeers(
      people
        .filter(({ clientId }) => clientId !== this.shared.clientId)
        .map((one) => ({ ...one, ranges: this.mapRanges(this.shared.version, one.ranges) })),
    )
    for (const { clientId, block } of people) if (block !== undefined) this.findBlock(clientId, block)
    this.scheduleSelection()
  }

  handleJoined({ clientId, member, block }: JoinedMessage): void {
    if (clientId === this.shared.clientId) return
    this.replacePeers([...this.otherPeers(clientId), { clientId, member, ranges: [] }])
    if (block !== undefined) this.findBlock(clientId, block)
  }

  handleLeft({ clientId }: LeftMessage): void {
    this.replacePeers(this.otherPeers(clientId))
  }

  handleSelection({ clientId, member, version, ranges }: SelectionMessage): void {
    if (clientId === this.shared.clientId) return
    const isNew = this.peers.every((peer) => peer.clientId !== clientId)
    const existing = this.peers.find((peer) => peer.clientId === clientId)
    const peer = { clientId, member: existing?.member ?? member, ranges: this.mapRanges(version, ranges) }
    this.dispatchPeers([...this.otherPeers(clientId), peer])
    if (isNew) this.peerList.show(this.peers, this.ownId)
  }

  /** Announces others' changes, though not each keystroke. */
  announceWrites({ updates }: UpdatesMessage): void {
    for (const { clientId, member, origin, changes } of updates) {
      if (clientId === this.shared.clientId || origin === 'save') continue
      const isOwn = member.id === this.ownId
      if (origin !== 'typing') showToast(describeWrite(this.session.noun, origin, isOwn ? null : member.name))
      else if (!isOwn) {
        const peer = this.peers.find((one) => one.clientId === clientId)
        this.peerList.noteTyping(member.name, peer?.ranges[0]?.[1] ?? startOf(changes))
      }
    }
  }

  scheduleSelection(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.sendSelection()
    }, selectionIntervalMs)
  }

  handleDisconnect(): void {
    this.replacePeers([])
  }

  end(): void {
    clearTimeout(this.timer)
    this.replacePeers([])
    this.peerList.remove()
  }

  /** Agents have no cursor, but say at which block they work. */
  private findBlock(clientId: string, block: string): void {
    // On failure the agent appears only in the list.
    this.showBlock(clientId, block).catch(() => {})
  }

  private async showBlock(clientId: string, block: string): Promise<void> {
    const { file, view } = this.session
    const base = await this.loadSavedRevision()
    const at = await findBlockPosition(file.details.path!, base, block, () => view.state.doc)
    if (at === null) return
    this.dispatchPeers(
      this.peers.map((peer) => (peer.clientId === clientId ? { ...peer, ranges: [[at, at]] } : peer)),
    )
  }

  private sendSelection(): void {
    const { ranges } = this.session.view.state.selection
    const syncedRanges = ranges.map(
      ({ anchor, head }) => [this.shared.toSynced(anchor), this.shared.toSynced(head)] as [number, number],
    )
    const json = JSON.stringify(syncedRanges)
    if (json === this.lastSent) return
    if (this.link.send({ type: 'selection', version: this.shared.version, ranges: syncedRanges }))
      this.lastSent = json
  }

  private get peers(): readonly Peer[] {
    return this.session.view.state.field(peersField)
  }

  private otherPeers(clientId: string): Peer[] {
    return this.peers.filter((peer) => peer.clientId !== clientId)
  }

  private replacePeers(peers: readonly Peer[]): void {
    this.dispatchPeers(peers)
    this.peerList.show(peers, this.ownId)
  }

  private dispatchPeers(peers: readonly Peer[]): void {
    this.session.view.dispatch({ effects: setPeers.of(peers) })
  }

  private mapRanges(version: number, ranges: readonly (readonly [number, number])[]): [number, number][] {
    return ranges.flatMap(([anchor, head]) => {
      const positions = [this.shared.fromVersion(version, anchor), this.shared.fromVersion(version, head)]
      const [from, to] = positions
      return from == null || to == null ? [] : [[from, to] as [number, number]]
    })
  }

  private scrollToPeer(clientId: string): void {
    const head = this.peers.find((peer) => peer.clientId === clientId)?.ranges[0]?.[1]
    if (head === undefined) return
    const { view } = this.session
    view.dispatch({ effects: EditorView.scrollIntoView(head, { y: 'center' }) })
  }
}

/** @param name null for the reader */
function describeWrite(noun: string, origin: 'file' | 'put', name: string | null): string {
  if (origin === 'file') return `${someoneOnDisk} changed this ${noun}.`
  return name === null ? `You changed this ${noun} elsewhere.` : `${name} changed this ${noun}.`
}

function startOf(changes: unknown): number {
  const [first] = changes as unknown[]
  return typeof first === 'number' ? first : 0
}

/** Finds where a block of the saved revision begins in the current text; null if it does not exist. */
async function findBlockPosition(
  path: string,
  base: Revision,
  block: string,
  getDoc: () => Text,
): Promise<number | null> {
  const { json } = await call('GET', `${path}?view=blocks`)
  const blocks = json.blocks as { id: string; lines: [number, number] }[]
  const found = blocks.find(({ id }) => id === block)
  if (!found) return null
  const doc = getDoc()
  const line = found.lines[0] - linesAbove(base)
  return doc.line(Math.min(Math.max(line, 1), doc.lines)).from
}
