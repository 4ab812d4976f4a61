import { renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import t from 'tap'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { docs, openProjectFolder } from '../../support/project-folder.ts'

const disk = breakableDisk()
const desk = await openProjectFolder(t, { faults: { tree: { fs: disk.fs } } })
const names = ['shared', 'pipelined', 'divided-1', 'divided-2', 'divided-3', 'divided-4', 'divided-5']
for (const name of names) await desk.put(name, 'Before.\n')
// From here on nobody but a request looks at them: the watcher has seen none of these writes.
await desk.restart()
for (const name of names) await desk.request('GET', `${docs}/${name}.md`)

/** A request up to the empty line that ends it. */
const beginning = (name: string) =>
  `GET ${docs}/${name}.md HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${desk.owner.key}\r\n`
const end = '\r\n'

/** A kept-alive connection on which bytes are sent at will. */
async function open() {
  const socket = connect(Number(new URL(desk.url).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  return {
    send: (text: string) => socket.write(text),
    /** The texts of the first answers, once there are so many. */
    answers: (count: number) =>
      desk.eventually(() => {
        const texts = received.match(/Before\.|After\./g) ?? []
        return texts.length >= count ? texts : null
      }),
  }
}

/** Calls `listener` at every look at a document's file, when it has been looked at. */
function onLook(name: string, listener: () => void): void {
  const file = desk.at(`documents/${name}.md`)
  disk.replace('lstatSync', (real, [path]) => {
    const seen = real()
    if (path === file) listener()
    return seen
  })
}

/** Saves another text by a rename, as editors do, just after the first look at the file. */
function editAfterLook(name: string, then: () => void): void {
  const file = desk.at(`documents/${name}.md`)
  onLook(name, () => {
    disk.mend()
    writeFileSync(`${file}.tmp`, `# ${name}\n\nAfter.\n`)
    renameSync(`${file}.tmp`, file)
    then()
  })
}

t.test('requests that arrive together cost one look, and each is answered', async (t) => {
  let looks = 0
  onLook('shared', () => {
    looks += 1
  })
  const { send, answers } = await open()
  send((beginning('shared') + end).repeat(3))
  t.same(await answers(3), ['Before.', 'Before.', 'Before.'])
  t.equal(looks, 1)
  disk.mend()
})

t.test('a request whose end is sent after an edit sees the edit', async (t) => {
  for (const name of names.filter((name) => name.startsWith('divided'))) {
    const [whole, divided] = [await open(), await open()]
    editAfterLook(name, () => divided.send(end))
    // Both are there when the server turns to its sockets, and the first is looked for before it is edited.
    whole.send(beginning(name) + end)
    divided.send(beginning(name))
    t.same(await divided.answers(1), ['After.'], name)
  }
})

t.test('a request that is sent behind another sees an edit made in between', async (t) => {
  const { send, answers } = await open()
  editAfterLook('pipelined', () => send(beginning('pipelined') + end))
  send(beginning('pipelined') + end)
  t.equal((await answers(2))[1], 'After.')
})
