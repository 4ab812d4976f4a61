import { renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import t from 'tap'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { docs, openProjectFolder } from '../../support/project-folder.ts'

const disk = breakableDisk()
const workroom = await openProjectFolder(t, { faults: { tree: { fs: disk.fs } } })
const names = ['shared', 'pipelined', 'divided-1', 'divided-2', 'divided-3', 'divided-4', 'divided-5']
for (const name of names) await workroom.put(name, 'Before.\n')
// The watcher has not seen these writes, so from here on the files are read for requests alone.
await workroom.restart()
for (const name of names) await workroom.request('GET', `${docs}/${name}.md`)

/** A request without the empty line that ends it. */
const beginning = (name: string) =>
  `GET ${docs}/${name}.md HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${workroom.owner.key}\r\n`
const end = '\r\n'

/** Opens a kept-alive connection that sends bytes as they are given. */
async function open() {
  const socket = connect(Number(new URL(workroom.url).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  return {
    send: (text: string) => socket.write(text),
    /** Waits for the texts of at least `count` answers. */
    answers: (count: number) =>
      workroom.eventually(() => {
        const texts = received.match(/Before\.|After\./g) ?? []
        return texts.length >= count ? texts : null
      }),
  }
}

/** Calls `listener` after each stat of a document's file. */
function onStat(name: string, listener: () => void): void {
  const file = workroom.at(`documents/${name}.md`)
  disk.replace('lstatSync', (real, [path]) => {
    const seen = real()
    if (path === file) listener()
    return seen
  })
}

/** Saves another text by a rename, as editors do, right after the first stat of the file. */
function editAfterStat(name: string, then: () => void): void {
  const file = workroom.at(`documents/${name}.md`)
  onStat(name, () => {
    disk.mend()
    writeFileSync(`${file}.tmp`, `# ${name}\n\nAfter.\n`)
    renameSync(`${file}.tmp`, file)
    then()
  })
}

t.test('requests that arrive together share one stat, and each is answered', async (t) => {
  let statCount = 0
  onStat('shared', () => {
    statCount += 1
  })
  const { send, answers } = await open()
  send((beginning('shared') + end).repeat(3))
  t.same(await answers(3), ['Before.', 'Before.', 'Before.'])
  t.equal(statCount, 1)
  disk.mend()
})

t.test('a request whose end is sent after an edit sees the edit', async (t) => {
  for (const name of names.filter((name) => name.startsWith('divided'))) {
    const [whole, divided] = [await open(), await open()]
    editAfterStat(name, () => divided.send(end))
    // Both are received before the server reads its sockets, and the first causes the stat before the edit.
    whole.send(beginning(name) + end)
    divided.send(beginning(name))
    t.same(await divided.answers(1), ['After.'], name)
  }
})

t.test('a pipelined request sees an edit made after the request before it', async (t) => {
  const { send, answers } = await open()
  editAfterStat('pipelined', () => send(beginning('pipelined') + end))
  send(beginning('pipelined') + end)
  t.equal((await answers(2))[1], 'After.')
})
