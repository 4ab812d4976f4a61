import { once } from 'node:events'
import t from 'tap'
import { type ClientOptions, WebSocket } from 'ws'
import type { ServerMessage } from '../../../core/live/protocol.ts'
import { LiveEditor, signInForEditing } from '../../support/live-editor.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { clock, eventually, owner, request } = workroom
const ada = await signInForEditing(workroom, owner.key)

let made = 0

async function newDocument(body = 'One.\n'): Promise<string> {
  const { json } = await request('PUT', `/v1/fs/projects/general/docs/text-${++made}.md`, {
    body: `# Text ${made}\n\n${body}`,
  })
  return json.id
}

/** A connection that can send what no page sends. */
class RawClient {
  readonly messages: ServerMessage[] = []
  readonly closed: Promise<number>
  readonly socket: WebSocket

  constructor(documentId: string, { cookie }: { cookie: string }, options: ClientOptions = {}) {
    const address = `${workroom.url.replace('http', 'ws')}/live/documents/${documentId}`
    this.socket = new WebSocket(address, { headers: { Cookie: cookie, Origin: workroom.url }, ...options })
    this.socket.on('message', (data) => this.messages.push(JSON.parse(String(data)) as ServerMessage))
    this.closed = once(this.socket, 'close').then(([code]) => code as number)
    t.teardown(() => this.socket.terminate())
  }

  /** @returns the type of the first answer */
  async open({ csrf }: { csrf: string } = ada): Promise<string | number> {
    await once(this.socket, 'open')
    this.socket.send(JSON.stringify({ type: 'open', csrf, clientId: `raw-client-${++made}` }))
    return eventually(() => this.messages[0]?.type ?? null)
  }

  get refusal(): string | undefined {
    return this.messages.flatMap((one) => (one.type === 'refused' ? one.code : []))[0]
  }
}

t.test('a client that sends nothing, nonsense, too much or too often is closed with a reason', async (t) => {
  const id = await newDocument()
  const silent = new RawClient(id, ada)
  await once(silent.socket, 'open')
  clock.advance(10_000)
  t.same([await silent.closed, silent.refusal], [1008, 'bad_request'])

  const confused = new RawClient(id, ada)
  await confused.open()
  confused.socket.send('{"type":"push","version":0,"updates":"all"}')
  t.same([await confused.closed, confused.refusal], [1008, 'bad_request'])

  const wordy = new RawClient(id, ada)
  await wordy.open()
  wordy.socket.send('x'.repeat(1024 * 1024 + 1))
  t.equal(await wordy.closed, 1009)

  const hasty = new RawClient(id, ada)
  await hasty.open()
  const selection = JSON.stringify({ type: 'selection', version: 0, ranges: [] })
  for (let count = 0; count < 400; count++) hasty.socket.send(selection)
  t.same([await hasty.closed, hasty.refusal], [4429, 'too_many_requests'])
})

t.test('a client that answers no ping is closed, and one that does stays connected', async (t) => {
  const id = await newDocument()
  const [dead, alive] = [new RawClient(id, ada, { autoPong: false }), new RawClient(id, ada)]
  await Promise.all([dead.open(), alive.open()])
  let pongs = 0
  for (const { socket } of [dead, alive]) socket.on('ping', () => pongs++)
  clock.advance(30_000)
  await eventually(() => pongs === 2)
  // The message arrives after the answer to the ping.
  alive.socket.send(JSON.stringify({ type: 'save' }))
  await eventually(() => alive.messages.some(({ type }) => type === 'saved'))
  clock.advance(30_000)
  t.equal(await dead.closed, 1006)
  t.equal(alive.socket.readyState, WebSocket.OPEN)
})

t.test('a text cannot grow beyond the size limit of a file', async (t) => {
  const editor = new LiveEditor(workroom, await newDocument('x'.repeat(2 * 1024 * 1024 - 100)), ada)
  await editor.connect()
  editor.type('y'.repeat(200))
  t.equal(await editor.waitForClose(), 4413)
})

t.test('a client that does not read is cut off, others go on, and it catches up on return', async (t) => {
  const id = await newDocument()
  const [slow, quick] = [new LiveEditor(workroom, id, ada), new LiveEditor(workroom, id, ada)]
  await Promise.all([slow.connect(), quick.connect()])
  t.teardown(() => [slow, quick].map((editor) => editor.disconnect()))
  slow.stopReading()
  const connected = () => workroom.workspace.live.counts.editors
  const before = connected()
  for (let count = 0; connected() === before; count++) {
    if (count > 100) throw new Error('It was not cut off after 50 MB.')
    quick.type(String(count % 10).repeat(500_000), '# Text'.length, quick.text.length)
    await eventually(() => quick.isConfirmed || null)
  }
  slow.disconnect()
  await slow.connect()
  t.equal(slow.text, quick.text)
})

t.test('many editors of one text receive all typing, in fewer messages than letters', async (t) => {
  const id = await newDocument()
  const editors = Array.from({ length: 40 }, () => new LiveEditor(workroom, id, ada))
  t.teardown(() => editors.map((editor) => editor.disconnect()))
  await Promise.all(editors.map((editor) => editor.connect()))
  const writing = editors.slice(0, 20).map(async (editor, index) => {
    for (let letter = 0; letter < 5; letter++) {
      editor.type(String.fromCodePoint(0x4e00 + 5 * index + letter))
      await eventually(() => editor.isConfirmed || null)
    }
  })
  await Promise.all(writing)
  const [first, ...others] = editors
  await eventually(() => others.every(({ text }) => text === first!.text) || null)
  const letters = [...first!.text].filter((letter) => letter >= '\u4e00')
  t.same([letters.length, new Set(letters).size], [100, 100])
  const messages = others.at(-1)!.messages.filter(({ type }) => type === 'updates').length
  t.ok(messages < letters.length, `${messages} messages`)
})

t.test('the number of editors is limited for each member and each document', async (t) => {
  const [id, other] = [await newDocument(), await newDocument()]
  const newPerson = async (name: string) => {
    const { key } = await workroom.addMember({ name, type: 'human' }, 'general')
    return signInForEditing(workroom, key)
  }
  const openMany = async (who: typeof ada, count: number, documentId = id) => {
    const clients = Array.from({ length: count }, () => new RawClient(documentId, who))
    const outcomes = await Promise.all(clients.map((client) => client.open(who)))
    t.same(
      new Set(outcomes),
      new Set([count === 1 ? 'refused' : 'opened']),
      `${count} clients are ${outcomes[0]}`,
    )
    return clients
  }
  const [grace, linus, mary] = [await newPerson('Grace'), await newPerson('Linus'), await newPerson('Mary')]
  const many = await openMany(grace, 100)
  const [another] = await openMany(grace, 1, other)
  t.same([await another!.closed, another!.refusal], [4429, 'too_many_requests'])
  many.push(...(await openMany(linus, 100)))
  const [late] = await openMany(mary, 1)
  t.same([await late!.closed, late!.refusal], [4429, 'too_many_requests'])
  for (const { socket } of many) socket.terminate()
})
