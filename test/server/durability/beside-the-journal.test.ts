import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t, { type Test } from 'tap'
import { findDifferences } from '../../../core/doctor/index.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { stagedFiles, stateOf } from '../../support/home-state.ts'
import { type CrashedHome, startCrashableWorkroom } from './crashed-home.ts'
import { general, put } from './writes.ts'

const disk = breakableDisk()
const workroom = await startCrashableWorkroom(t, { faults: { tree: { fs: disk.fs } } })
const promised = '# Promised\n\nAnswered.\n'
await put(workroom, 'docs/promised.md', promised)

/** Returns the paths in the home that are made durable while `work` runs. */
async function durableBy(work: () => Promise<unknown>): Promise<Set<string>> {
  const opened = new Map<unknown, string>()
  const durable = new Set<string>()
  disk.replace('openSync', (real, [path]) => {
    const file = real()
    opened.set(file, relative(workroom.home, String(path)))
    return file
  })
  disk.replace('fsync', (real, [file]) => {
    durable.add(opened.get(file)!)
    return real()
  })
  await work()
  disk.mend()
  return durable
}

function isDurable(t: Test, durable: Set<string>, path: string): void {
  const names = path.split('/')
  for (let count = names.length; count > 2; count--) {
    const made = names.slice(0, count).join('/')
    t.ok(durable.has(made.slice(0, made.lastIndexOf('/'))), `the name ${made} is durable`)
  }
}

t.test('a project is durable before it is answered, with its files and folders', async (t) => {
  const durable = await durableBy(async () => {
    t.equal((await workroom.request('POST', '/v1/projects', { body: { name: 'Fresh' } })).status, 201)
  })
  for (const file of ['.workroom', 'README.md']) {
    t.ok(durable.has(`projects/fresh/${file}`))
    isDurable(t, durable, `projects/fresh/${file}`)
  }
  for (const folder of ['posts', 'drafts', 'documents', 'board/01-triage', 'board/04-done'])
    isDurable(t, durable, `projects/fresh/${folder}`)
  t.ok(durable.has('projects'))
})

t.test(
  'uploads and a skill are durable before they are answered, with the folders made for them',
  async (t) => {
    const uploaded = await durableBy(async () => {
      const response = await workroom.request('POST', `${general}/library/files?name=a/b/notes.txt`, {
        body: 'Notes',
      })
      t.equal(response.status, 201)
    })
    isDurable(t, uploaded, 'projects/general/files/a/b/notes.txt')
    let sent = ''
    const toRoom = await durableBy(async () => {
      const { json } = await workroom.request('POST', '/api/rooms/general/attachments?name=a.txt', {
        body: 'Notes',
      })
      sent = json.path
    })
    const [, , , , roomId, , id] = sent.split('/')
    isDurable(t, toRoom, `rooms/${roomId}/${id}/a.txt`)
    const skill = { project: 'general', name: 'greet', expectedVersion: 0 }
    const files = { 'SKILL.md': '---\nname: greet\ndescription: Greets.\n---\n' }
    await workroom.request('POST', '/v1/skills', { body: { ...skill, files, expectedDraftRevision: 0 } })
    const published = await durableBy(async () => {
      const body = { ...skill, expectedDraftRevision: 1 }
      t.equal((await workroom.request('POST', '/v1/skills/publish', { body })).status, 200)
    })
    isDurable(t, published, 'projects/general/skills/greet')
  },
)

/** Copies the home before each step of a change on the disk, and after the last. */
async function momentsOf(work: () => Promise<unknown>): Promise<CrashedHome[]> {
  const moments: CrashedHome[] = []
  for (const call of ['symlinkSync', 'linkSync', 'unlinkSync', 'fsync'] as const) {
    disk.replace(call, (real) => {
      moments.push(workroom.copyAsCrashed())
      return real()
    })
  }
  await work()
  disk.mend()
  return [...moments, workroom.copyAsCrashed()]
}

t.test(
  'a process killed while a file is attached or detached leaves the whole attachment or nothing',
  async (t) => {
    const { path } = await put(workroom, 'drafts/carrier.md', '# Carrier\n')
    await workroom.restart()
    const none = stateOf(workroom.home).files
    let attached = ''
    const attaching = await momentsOf(async () => {
      const response = await workroom.request('POST', `${path}/attachments?name=notes.txt`, { body: 'Notes' })
      t.equal(response.status, 201)
      attached = response.json.id
    })
    const one = stateOf(workroom.home).files
    t.equal(Object.keys(one).length, Object.keys(none).length + 1)
    const detaching = await momentsOf(async () => {
      t.equal((await workroom.request('DELETE', `${path}/attachments/${attached}`)).status, 200)
    })
    for (const moments of [attaching, detaching]) {
      const counts = new Set<number>()
      for (const crashed of moments) {
        const { files } = await crashed.recover()
        counts.add(Object.keys(files).length)
        t.same(files, Object.keys(files).length > Object.keys(none).length ? one : none)
        t.same((await findDifferences(crashed.home)).findings, [])
        t.same(stagedFiles(crashed.home), [])
      }
      t.equal(counts.size, 2)
    }
  },
)

t.test(
  'a process killed while a room attachment is uploaded or deleted leaves the whole file or nothing',
  async (t) => {
    const made = await workroom.request('POST', '/api/rooms', { body: { name: 'Crew', type: 'open' } })
    const { _id: roomId } = made.json
    const textsIn = (files: Record<string, string>) =>
      Object.keys(files).flatMap((path) => (path.startsWith(`rooms/${roomId}/`) ? files[path]! : []))
    let path = ''
    const uploading = await momentsOf(async () => {
      const sent = await workroom.request('POST', `/api/rooms/${roomId}/attachments?name=a.txt`, {
        body: 'Notes',
      })
      t.equal(sent.status, 201)
      path = sent.json.path
    })
    const messages = `/api/rooms/${roomId}/messages`
    const { json } = await workroom.request('POST', messages, { body: { body: `[a.txt](${path})` } })
    const deleting = await momentsOf(async () => {
      await workroom.request('DELETE', `${messages}/${json.messageId}`)
      await workroom.eventually(() => !existsSync(join(workroom.home, 'rooms', roomId)))
    })
    const states = new Set<string>()
    for (const crashed of [...uploading, ...deleting]) {
      states.add(textsIn((await crashed.recover()).files).join())
      t.same((await findDifferences(crashed.home)).findings, [])
      t.same(stagedFiles(crashed.home), [])
    }
    t.same([...states].sort(), ['', 'Notes'])
  },
)

t.test('a project whose folders cannot be made durable is not created', async (t) => {
  disk.fail('fsync', 'EIO')
  const body = { name: 'Failing' }
  const response = await workroom.request('POST', '/v1/projects', { body })
  disk.mend()
  t.match(response, { status: 503, json: { error: /^Nothing was written, because .* input\/output error/ } })
  t.notOk(existsSync(join(workroom.home, 'projects/failing')))
  t.equal((await workroom.request('POST', '/v1/projects', { body })).status, 201, 'the next attempt works')
})

/** What a power cut can leave of a project's marker. */
const losses: Record<string, (marker: string) => void> = {
  empty: (marker) => truncateSync(marker, 0),
  'a part of it': (marker) => truncateSync(marker, 7),
  zeros: (marker) => writeFileSync(marker, Buffer.alloc(31)),
  missing: (marker) => rmSync(marker),
}

t.test(
  'a marker that a power cut destroyed is written again at the start, and no document is lost with it',
  async (t) => {
    await workroom.restart()
    const before = stateOf(workroom.home)
    for (const [what, lose] of Object.entries(losses)) {
      const crashed = workroom.copyAsCrashed()
      lose(crashed.at('.workroom'))
      truncateSync(crashed.at('README.md'), 0)
      t.same(await crashed.recover(), before, what)
    }
  },
)

t.test('a lost marker is written again even if answered documents did not reach the disk', async (t) => {
  disk.fail('fsync', 'EIO')
  await put(workroom, 'docs/promised.md', `${promised}More.\n`)
  const after = stateOf(workroom.home)
  const crashed = workroom.copyAsCrashed()
  disk.mend()
  truncateSync(crashed.at('.workroom'), 0)
  rmSync(crashed.at('documents/promised.md'))
  t.same(await crashed.recover(), after)
})

t.test('no marker is written if the folder may be another project or an empty mount point', async (t) => {
  const others: Record<string, (crashed: CrashedHome) => void> = {
    'a marker of another project': (crashed) =>
      writeFileSync(crashed.at('.workroom'), 'prj_01h455vb4pex5vsknk084sn02q\n'),
    'an empty folder': (crashed) => {
      renameSync(crashed.at(''), join(crashed.home, 'elsewhere'))
      mkdirSync(crashed.at(''))
    },
    'not a folder': (crashed) => renameSync(crashed.at(''), join(crashed.home, 'elsewhere')),
  }
  const { rows } = stateOf(workroom.home)
  for (const [what, become] of Object.entries(others)) {
    const crashed = workroom.copyAsCrashed()
    become(crashed)
    const marker = existsSync(crashed.at('.workroom')) && readFileSync(crashed.at('.workroom'), 'utf8')
    t.same((await crashed.recover()).rows.documents, rows.documents, what)
    t.equal(existsSync(crashed.at('.workroom')) && readFileSync(crashed.at('.workroom'), 'utf8'), marker)
  }
})

t.test('a project whose creation a kill interrupted is completed at the start', async (t) => {
  await workroom.workspace.stores.projects.add({ name: 'Begun', lead: null })
  const crashed = workroom.copyAsCrashed()
  await crashed.recover()
  t.match(readFileSync(join(crashed.home, 'projects/begun/README.md'), 'utf8'), /^# Begun\n/)
  t.ok(existsSync(join(crashed.home, 'projects/begun/.workroom')))
})
