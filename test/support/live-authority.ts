import { rebaseUpdates, type Update } from '@codemirror/collab'
import { ChangeSet, Text } from '@codemirror/state'
import type {
  ClientMessage,
  LiveUpdate,
  OpenMessage,
  SelectionMessage,
  ServerMessage,
} from '../../core/live/protocol.ts'

type StoredUpdate = Update & { clientID: string; seq: number }

interface Member {
  id: string
  name: string
  kind: string
}

interface Client {
  clientId: string
  member: Member
  send(message: ServerMessage): void
}

/** A minimal server of live texts, for tests of the client. */
export class LiveAuthority {
  text: Text
  epoch = 'first'
  /** Whether pushed updates are ignored, as by a server that has just died. */
  ignoresPushes = false
  readonly received: ClientMessage[] = []
  private updates: StoredUpdate[] = []
  private readonly clients = new Set<Client>()

  constructor(text: string) {
    this.text = Text.of(text.split('\n'))
  }

  get version(): number {
    return this.updates.length
  }

  connect(
    send: (message: ServerMessage) => void,
    member: Member = ada,
  ): { receive(message: ClientMessage): void; close(): void } {
    let client: Client | null = null
    return {
      receive: (message) => {
        this.received.push(message)
        if (message.type === 'open') client = this.open(message, send, member)
        else if (message.type === 'push' && client && !this.ignoresPushes)
          this.push(client, message.version, message.updates)
        else if (message.type === 'selection' && client) this.select(client, message)
        else if (message.type === 'save') this.save()
      },
      close: () => {
        if (!client || !this.clients.delete(client)) return
        this.broadcast({ type: 'left', clientId: client.clientId, member: client.member })
      },
    }
  }

  /** Changes the text as another member or a file. */
  change(changes: ChangeSet, by: Pick<LiveUpdate, 'member' | 'origin'>): void {
    this.append([{ changes, clientID: 'elsewhere', seq: this.version }], by)
  }

  save(): void {
    this.broadcast({ type: 'saved', revision: `r${this.version}`, version: this.version, at: 0 })
  }

  broadcast(message: ServerMessage): void {
    for (const { send } of this.clients) send(message)
  }

  /** Begins a new epoch, as after a restart. */
  startNewEpoch(): void {
    this.epoch += '+'
    this.updates = []
    this.clients.clear()
  }

  private open({ clientId, epoch, version }: OpenMessage, send: Client['send'], member: Member): Client {
    const people = [...this.clients].map((one) => ({
      clientId: one.clientId,
      member: one.member,
      ranges: [],
    }))
    const client = { clientId, send, member }
    this.broadcast({ type: 'joined', clientId, member })
    this.clients.add(client)
    const isResumed = epoch === this.epoch && version !== undefined
    const current = isResumed
      ? { updates: this.updates.slice(version).map((one) => toLiveUpdate(one, { member, origin: 'typing' })) }
      : { text: this.text.toString() }
    const saved = { revision: 'r0', version: this.version, at: 0 }
    send({ type: 'opened', epoch: this.epoch, version: this.version, ...current, saved, people })
    return client
  }

  private select(
    { clientId, member }: Client,
    { version, ranges }: Pick<SelectionMessage, 'version' | 'ranges'>,
  ): void {
    for (const { clientId: other, send } of this.clients)
      if (other !== clientId) send({ type: 'selection', clientId, member, version, ranges })
  }

  private push(
    { clientId, member }: Client,
    version: number,
    pushed: { seq: number; changes: unknown }[],
  ): void {
    const updates = pushed.map(({ seq, changes }) => ({
      changes: ChangeSet.fromJSON(changes),
      clientID: clientId,
      seq,
    }))
    const rebased = rebaseUpdates(updates, this.updates.slice(version))
    const first = pushed.length - rebased.length
    const numbered = rebased.map(({ changes }, index) => ({
      changes,
      clientID: clientId,
      seq: pushed[first + index]!.seq,
    }))
    this.append(numbered, { member, origin: 'typing' })
  }

  private append(updates: StoredUpdate[], by: Pick<LiveUpdate, 'member' | 'origin'>): void {
    const from = this.version
    for (const one of updates) {
      this.text = one.changes.apply(this.text)
      this.updates.push(one)
    }
    if (updates.length > 0)
      this.broadcast({ type: 'updates', from, updates: updates.map((one) => toLiveUpdate(one, by)) })
  }
}

const ada: Member = { id: 'mem_ada', name: 'Ada', kind: 'human' }

const toLiveUpdate = (
  { clientID, seq, changes }: StoredUpdate,
  by: Pick<LiveUpdate, 'member' | 'origin'>,
): LiveUpdate => ({
  clientId: clientID,
  seq,
  changes: changes.toJSON(),
  ...by,
})
