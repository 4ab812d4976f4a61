import { history, undo } from '@codemirror/commands'
import { ChangeSet, EditorState, type Extension, Text, type TransactionSpec } from '@codemirror/state'
import t from 'tap'
import type { ServerMessage } from '../../../core/live/protocol.ts'
import { diffTexts } from '../../../server/client/editor/difference.ts'
import {
  type PendingUpdates,
  SharedText,
  type TextHost,
} from '../../../server/client/editor/live/shared-text.ts'
import { LiveAuthority } from '../../support/live-authority.ts'
import fc from '../../support/seeded-properties.ts'

class Host implements TextHost {
  state: EditorState

  constructor(extensions: Extension = [], text = '') {
    this.state = EditorState.create({ doc: Text.of(text.split('\n')), extensions })
  }

  get text(): string {
    return this.state.doc.toString()
  }

  dispatch(...specs: TransactionSpec[]): void {
    this.state = this.state.update(...specs).state
  }
}

/** A page with the text open. Messages of the server wait for `deliver`. */
class Page {
  readonly host: Host
  readonly shared: SharedText
  readonly inbox: ServerMessage[] = []
  private readonly authority: LiveAuthority
  private connection: ReturnType<LiveAuthority['connect']> | null = null

  /** @param pending the unsent updates of an earlier page, to be applied to the text of the host */
  constructor(
    authority: LiveAuthority,
    clientId: string,
    host = new Host(history()),
    pending?: PendingUpdates,
  ) {
    this.authority = authority
    this.host = host
    this.shared = new SharedText(host, clientId, diffTexts)
    if (pending) this.shared.resume(pending)
    this.connect()
  }

  connect(): void {
    this.connection = this.authority.connect((message) => this.inbox.push(message))
    const { clientId, position } = this.shared
    this.connection.receive({ type: 'open', csrf: '', clientId, ...position })
  }

  /** Closes the connection; messages that are not delivered yet are lost. */
  disconnect(): void {
    this.connection?.close()
    this.connection = null
    this.inbox.length = 0
  }

  write(from: number, to: number, insert: string): void {
    this.host.dispatch({ changes: { from, to, insert }, userEvent: 'input.type' })
    this.push()
  }

  push(): void {
    const next = this.connection && this.shared.nextPush()
    if (next) this.connection!.receive(next)
  }

  /** Delivers at most `count` messages. */
  deliver(count = Number.POSITIVE_INFINITY): void {
    for (const message of this.inbox.splice(0, count)) {
      if (message.type === 'opened') this.shared.handleOpened(message)
      else if (message.type === 'updates') this.shared.receive(message.from, message.updates)
      this.push()
    }
  }
}

/** A letter of its own for each number. */
const letter = (number: number): string => String.fromCodePoint(0x4e00 + number)

const settle = (pages: Page[]) => {
  for (let round = 0; round < 20; round++) for (const page of pages) page.deliver()
}

t.test(
  'however pages write, lose the connection and return, all texts end equal, with each word once',
  async (t) => {
    const act = fc.record({
      page: fc.nat({ max: 2 }),
      kind: fc.constantFrom('write', 'write', 'write', 'deliver', 'disconnect', 'connect', 'put'),
      at: fc.nat({ max: 1000 }),
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 80 }), (acts) => {
        const authority = new LiveAuthority('Begun\nhere')
        const pages = ['a', 'b', 'c'].map((name) => new Page(authority, name))
        for (const page of pages) page.deliver()
        const words: string[] = []
        for (const [index, { page: number, kind, at }] of acts.entries()) {
          const page = pages[number]!
          const length = page.host.state.doc.length
          if (kind === 'write') {
            words.push(`<${index}>`)
            page.write(at % (length + 1), at % (length + 1), `<${index}>`)
          } else if (kind === 'put') {
            words.push(`<${index}>`)
            const changes = ChangeSet.of(
              { from: at % (authority.text.length + 1), insert: `<${index}>` },
              authority.text.length,
            )
            authority.change(changes, { member: { id: 'mem_bo', name: 'Bo' }, origin: 'put' })
          } else if (kind === 'deliver') page.deliver()
          else {
            page.disconnect()
            if (kind === 'connect') page.connect()
          }
        }
        for (const page of pages) {
          page.disconnect()
          page.connect()
        }
        settle(pages)
        const text = authority.text.toString()
        for (const page of pages) if (page.host.text !== text || !page.shared.isConfirmed) return false
        const letters = [...text].sort().join('')
        return letters === [...`Begun\nhere${words.join('')}`].sort().join('')
      }),
      { numRuns: 300 },
    )
    t.pass()
  },
)

t.test('undo reverts this page’s own changes, and none that others made since', async (t) => {
  const authority = new LiveAuthority('One')
  const [ada, bo] = ['a', 'b'].map((name) => new Page(authority, name)) as [Page, Page]
  settle([ada, bo])
  ada.write(3, 3, ' two')
  settle([ada, bo])
  bo.write(0, 0, 'Zero ')
  settle([ada, bo])
  undo({ state: ada.host.state, dispatch: (transaction) => ada.host.dispatch(transaction) })
  ada.push()
  settle([ada, bo])
  t.strictSame(
    [ada, bo].map(({ host }) => host.text),
    ['Zero One', 'Zero One'],
  )
})

t.test('unsent changes are rebased on a text whose updates the server no longer knows', async (t) => {
  const authority = new LiveAuthority('One\n\nTwo')
  const page = new Page(authority, 'a')
  page.deliver()
  page.disconnect()
  page.write(8, 8, ' mine')
  authority.change(ChangeSet.of({ from: 0, insert: 'Their ' }, 8), {
    member: { id: 'mem_bo', name: 'Bo' },
    origin: 'put',
  })
  authority.startNewEpoch()
  page.connect()
  settle([page])
  t.equal(page.host.text, 'Their One\n\nTwo mine')
  t.equal(authority.text.toString(), 'Their One\n\nTwo mine')
})

t.test('an update that arrived before the server began a new epoch is not applied twice', async (t) => {
  const authority = new LiveAuthority('One')
  const page = new Page(authority, 'a')
  page.deliver()
  page.write(3, 3, ' two')
  page.disconnect()
  page.write(7, 7, ' three')
  authority.startNewEpoch()
  page.connect()
  settle([page])
  t.equal(authority.text.toString(), 'One two three')
  t.equal(page.host.text, 'One two three')
})

t.test(
  'an earlier page’s updates are sent just as it would have, whether or not the server has them',
  async (t) => {
    for (const isSent of [true, false]) {
      const authority = new LiveAuthority('One')
      const page = new Page(authority, 'a')
      page.deliver()
      if (isSent) page.write(3, 3, ' two')
      page.disconnect()
      if (!isSent) page.write(3, 3, ' two')
      const { pending, syncedText } = page.shared
      const later = new Host([], syncedText.toString())
      const restored = new SharedText(later, 'a', diffTexts)
      restored.resume(pending!)
      t.equal(later.text, 'One two')
      t.strictSame(restored.position, { epoch: 'first', version: 0 })
      t.strictSame(restored.nextPush(), {
        type: 'push',
        version: 0,
        updates: [{ seq: 1, changes: [3, [0, ' two']] }],
      })
    }
  },
)

t.test(
  'after a new epoch, an earlier page’s updates are applied once each, those that had arrived included',
  async (t) => {
    for (const count of [0, 1, 30, 59, 60]) {
      const authority = new LiveAuthority('One')
      const page = new Page(authority, 'a')
      page.deliver()
      page.disconnect()
      for (let number = 0; number < 60; number++) page.write(3 + number, 3 + number, letter(number))
      const { pending, syncedText } = page.shared
      const arrived = [...Array(count).keys()].map(letter).join('')
      authority.change(
        ChangeSet.of(
          [
            { from: 0, insert: 'Bo: ' },
            { from: 3, insert: arrived },
          ],
          3,
        ),
        {
          member: { id: 'mem_bo', name: 'Bo' },
          origin: 'put',
        },
      )
      authority.startNewEpoch()
      const later = new Page(authority, 'a', new Host([], syncedText.toString()), pending!)
      settle([later])
      t.equal(authority.text.toString(), `Bo: One${[...Array(60).keys()].map(letter).join('')}`)
    }
  },
)

t.test('an earlier page’s change after an erasure that another page made first is not lost', async (t) => {
  const authority = new LiveAuthority('One two')
  const [page, other] = [new Page(authority, 'a'), new Page(authority, 'b')]
  settle([page, other])
  other.write(4, 5, '')
  page.write(4, 5, '')
  // Delivers the other page's update, but not the confirmation of its own.
  page.deliver(1)
  page.write(6, 6, '!')
  const { pending, syncedText } = page.shared
  t.equal(pending!.updates.length, 2)
  page.disconnect()
  const later = new Page(authority, 'a', new Host([], syncedText.toString()), pending!)
  settle([later, other])
  t.equal(authority.text.toString(), 'One wo!')
  t.equal(later.host.text, 'One wo!')
})

t.test('a cursor keeps its place in the text when others write before it', async (t) => {
  const authority = new LiveAuthority('One two')
  const [ada, bo] = ['a', 'b'].map((name) => new Page(authority, name)) as [Page, Page]
  settle([ada, bo])
  bo.write(0, 0, 'Zero ')
  settle([ada, bo])
  ada.disconnect()
  ada.write(0, 0, '* ')
  t.equal(ada.shared.fromVersion(0, 4), 11)
  t.equal(ada.shared.toSynced(11), 9)
  t.equal(ada.shared.fromVersion(5, 0), null, 'an unknown version')
})
