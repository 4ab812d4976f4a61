import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { backUp } from '../../core/backup/backup.ts'
import { restore } from '../../core/backup/restore.ts'
import { defaultConfig } from '../../core/config.ts'
import { findDifferences } from '../../core/doctor/index.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { startServer } from '../../server/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { copyHome } from '../support/copy-home.ts'
import { eventsOf } from '../support/event-log.ts'
import { request as send } from '../support/http-client.ts'
import { LiveEditor, signInForEditing } from '../support/live-editor.ts'
import { processMarkdown } from '../support/shared-markdown.ts'
import { startWorkroom } from '../support/workroom.ts'
import { runWorkroom } from './run-workroom.ts'

const docs = '/v1/fs/projects/general/docs'
const skill = (name: string) => ({ 'SKILL.md': `---\nname: ${name}\ndescription: Does things.\n---\n` })

const workroom = await startWorkroom(t)
const { request, home } = workroom
const folder = dirname(home)
const inProject = (...names: string[]) => join(home, 'projects/general', ...names)
const put = (path: string, body: string) => request('PUT', path, { body })
async function publishSkill(name: string) {
  const address = { project: 'general', name, expectedVersion: 0 }
  const files = skill(name)
  await request('POST', '/v1/skills', { body: { ...address, files, expectedDraftRevision: 0 } })
  return request('POST', '/v1/skills/publish', { body: { ...address, expectedDraftRevision: 1 } })
}
async function post(title: string, attached: string) {
  const { json } = await put(`/v1/fs/projects/general/posts/${title}.md`, `# ${title}\n`)
  const path = `${json.path}/attachments`
  const response = await request('POST', `${path}?name=${attached}`, { body: `Bytes of ${attached}` })
  await request('POST', `/v1/posts/${json.id}/comments`, { body: { body: 'Well said.' } })
  return { ...response, remove: () => request('DELETE', `${path}/${response.json.id}`) }
}
/** Posts, uploads and asks; deletes the post's attachment and an earlier upload. */
async function others(round: number) {
  await (await post(`post-${round}`, 'passing.txt')).remove()
  await request('POST', `/v1/fs/projects/general/library/files?name=up/${round}.txt`, { body: 'Bytes.' })
  await request('DELETE', `/v1/fs/projects/general/library/files/up/${round - 2}.txt`)
  await request('POST', '/api/asks', { body: { project: 'general', title: `Ask ${round}` } })
}

await put(`${docs}/kept.md`, '# Kept\n\nText.\n')
await put(`${docs}/thrown.md`, '# Thrown\n')
await request('DELETE', `${docs}/thrown.md`)
await publishSkill('published')
mkdirSync(inProject('skills/by-hand'))
writeFileSync(inProject('skills/by-hand/SKILL.md'), '# By hand\n')
await request('GET', '/v1/fs/projects/general/skills')
const announced = await post('announced', 'plan.txt')
mkdirSync(inProject('files/deep'), { recursive: true })
writeFileSync(inProject('files/deep/run.sh'), 'echo hi\n')
chmodSync(inProject('files/deep/run.sh'), 0o755)
writeFileSync(inProject('documents/.hidden'), 'Hidden.\n')
symlinkSync('/etc/hostname', inProject('files/link'))
execFileSync('mkfifo', [inProject('files/pipe')])
writeFileSync(join(home, 'workroom.yaml'), 'port: 0\n')
const mounted = '/dav/projects/general'
await put(`${mounted}/documents/.DS_Store`, 'Left by a program.')
await put(`${mounted}/files/deleted.txt`, 'Deleted.')
await request('DELETE', `${mounted}/files/deleted.txt`)

/** Makes changes of every kind until `isOver`. @returns the number of rounds */
async function underLoad(isOver: () => boolean): Promise<number> {
  let round = 0
  while (!isOver()) {
    round += 1
    await Promise.all([
      put(`${docs}/busy.md`, `# Busy\n\nRound ${round}.\n`),
      put(`${docs}/new-${round}.md`, `# New ${round}\n`),
      put(`/v1/fs/projects/general/board/02-todo/card-${round}.md`, `# Card ${round}\n`),
      request('DELETE', `${docs}/new-${round - 2}.md`),
      round % 5 === 0 ? publishSkill(`skill-${round}`) : post(`post-${round}`, 'notes.txt'),
      others(round),
    ])
  }
  return round
}

const open = (home: string) =>
  startServer({
    home,
    config: { ...defaultConfig, port: 0 },
    log: capturedLog(),
    faults: { markdown: processMarkdown() },
  })

t.test('text that is typed and not saved yet is in a backup and in the restored home', async (t) => {
  const { json } = await put(`${docs}/typed.md`, '# Typed\n')
  const editor = new LiveEditor(
    workroom,
    String(json.id),
    await signInForEditing(workroom, workroom.owner.key),
  )
  await editor.connect()
  t.teardown(() => editor.disconnect())
  editor.type('Typed before.')
  await workroom.eventually(() => editor.isConfirmed || null)
  let isOver = false
  const typing = (async () => {
    for (let word = 0; !isOver; word++) {
      editor.type(` ${word}`)
      await workroom.eventually(() => editor.isConfirmed || null)
    }
  })()
  const to = join(folder, 'typed')
  await backUp({ home, to })
  isOver = true
  await typing
  const file = 'projects/general/documents/typed.md'
  t.equal(readFileSync(join(home, file), 'utf8'), '# Typed\n', 'nothing is saved during the backup')

  const restored = join(folder, 'typed-restored')
  await restore({ from: to, home: restored })
  t.match((await findDifferences(restored)).findings, [{ path: file, mend: /^Start the server/ }])
  const server = await open(restored)
  t.teardown(() => server.close())
  const response = await send(server.url, 'GET', `${docs}/typed.md`, { key: workroom.owner.key })
  const read = response.text.slice(response.text.indexOf('# Typed'))
  t.match(read, /^# Typed\nTyped before\.[ \d]*$/)
  t.ok(editor.text.startsWith(read), 'the restored text is everything typed up to one moment')
  t.equal(readFileSync(join(restored, file), 'utf8'), read)
  editor.save()
  await editor.waitForMessage('saved')
})

t.test('a backup taken under load restores to a home in which doctor finds nothing', async (t) => {
  t.equal(announced.status, 201, 'the post has an attachment')
  const to = join(folder, 'loaded')
  await workroom.workspace.stores.signinLinks.issue(workroom.owner.member)
  let isOver = false
  const load = underLoad(() => isOver)
  const result = await runWorkroom('backup', to, '--home', home, '--json')
  isOver = true
  t.ok((await load) > 0, 'changes were made during the backup')
  t.match(result, { code: 0, stderr: '' })
  t.match(result.json, { backup: to, workspace: { name: 'Testers' } })
  const { leftOut } = result.json as unknown as { leftOut: { path: string; reason: string }[] }
  t.same(
    leftOut.filter(({ reason }) => !/^It was (moved or )?deleted/.test(reason)),
    [{ path: 'projects/general/files/pipe', reason: 'It is not a regular file.' }],
  )

  const restored = join(folder, 'restored')
  const done = await runWorkroom('restore', to, '--home', restored)
  t.match(done, { code: 0, stdout: /^Testers as of .* documents, .*\nServe it with: / })
  const { findings, documents } = await findDifferences(restored)
  t.same(findings, [])
  t.ok(documents >= 4)

  const at = (...names: string[]) => join(restored, 'projects/general', ...names)
  t.equal(readFileSync(at('files/deep/run.sh'), 'utf8'), 'echo hi\n')
  t.equal(statSync(at('files/deep/run.sh')).mode & 0o777, 0o755)
  const changedMs = [at, inProject].map((at) => statSync(at('files/deep/run.sh')).mtimeMs)
  t.ok(Math.abs(changedMs[0]! - changedMs[1]!) < 1)
  t.equal(readlinkSync(at('files/link')), '/etc/hostname')
  t.equal(readFileSync(at('documents/.hidden'), 'utf8'), 'Hidden.\n')
  t.equal(readFileSync(join(restored, 'workroom.yaml'), 'utf8'), 'port: 0\n')
  t.ok(existsSync(at('board/03-in-progress')), 'empty folders are restored')
  t.equal(readdirSync(join(restored, 'trash/general')).filter((name) => name.includes('thrown')).length, 1)

  const before = eventsOf(restored).length
  const server = await open(restored)
  t.teardown(() => server.close())
  const get = (path: string) => send(server.url, 'GET', path, { key: workroom.owner.key })
  const [one, other] = await Promise.all([get(`${docs}/kept.md`), request('GET', `${docs}/kept.md`)])
  t.equal(one.text, other.text, 'the restored document has the same id and authors')
  t.equal(eventsOf(restored).length, before, 'a start after a restore logs no events')
  const epoch = 'x-service-events-epoch'
  const [here, there] = await Promise.all([get('/v1/events?wait=0'), request('GET', '/v1/events?wait=0')])
  t.not(here.headers[epoch], there.headers[epoch], 'the restored log has another epoch')
  t.equal(
    server.workspace.stores.signinLinks.count(workroom.owner.member.id),
    0,
    'links to sign in are not restored',
  )
  t.match((await get('/v1/fs/projects/general/skills/published')).json, { skill: { version: 1 } })
  t.match((await get('/v1/fs/projects/general/skills/by-hand')).json, { skill: { version: 1 } })
  t.equal((await get(`${mounted}/documents/.DS_Store`)).text, 'Left by a program.')
  const { trash } = (await get('/v1/fs/projects/general/trash')).json
  const deleted = trash.find(({ filename }: { filename: string }) => filename === 'files/deleted.txt')
  t.equal((await send(server.url, 'POST', deleted.path, { key: workroom.owner.key })).status, 201)
  t.equal((await get(`${mounted}/files/deleted.txt`)).text, 'Deleted.')
  t.same((await findDifferences(restored)).findings, [])
})

t.test('a backup is readable by its owner alone and contains no key', async (t) => {
  const to = join(folder, 'private')
  await backUp({ home, to })
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const { mode } = statSync(join(entry.parentPath, entry.name))
    t.equal(mode & 0o077, 0, join(entry.parentPath, entry.name))
  }
  t.equal(statSync(to).mode & 0o777, 0o700)
  t.notOk(readFileSync(join(to, 'workroom.db')).includes(workroom.owner.key))
})

t.test('edits made while no server runs are in a backup', async (t) => {
  const offline = join(folder, 'offline')
  await workroom.eventually(async () => (await findDifferences(home)).findings.length === 0)
  copyHome(home, offline)
  const at = (...names: string[]) => join(offline, 'projects/general/documents', ...names)
  appendFileSync(at('kept.md'), 'By hand.\n')
  writeFileSync(at('fresh.md'), '# Fresh\n')
  rmSync(at('busy.md'))
  await backUp({ home: offline, to: join(folder, 'of-offline') })
  await restore({ from: join(folder, 'of-offline'), home: join(folder, 'from-offline') })
  const problems = async (home: string) =>
    (await findDifferences(home)).findings.map(({ path, problem }) => `${path}: ${problem}`).sort()
  t.equal((await problems(offline)).length, 3)
  t.same(await problems(join(folder, 'from-offline')), await problems(offline))
})

t.test('documents of a missing project folder are in a backup, which names what is left out', async (t) => {
  const away = join(folder, 'away')
  copyHome(home, away)
  renameSync(join(away, 'projects/general'), join(away, 'elsewhere'))
  const { leftOut } = await backUp({ home: away, to: join(folder, 'of-away') })
  t.match(leftOut, [{ path: 'projects/general', reason: /documents are in the backup/ }])
  const kept = join(folder, 'of-away/projects/general/documents/kept.md')
  t.equal(readFileSync(kept, 'utf8'), '# Kept\n\nText.\n')
})

const attachedFile = (home: string): string => {
  const found = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((path) =>
    path.endsWith('plan.txt'),
  )
  return found!
}

t.test('backup and restore overwrite nothing, and restore refuses a damaged backup', async (t) => {
  const to = join(folder, 'whole')
  await backUp({ home, to })
  const full = join(folder, 'full')
  mkdirSync(full)
  writeFileSync(join(full, 'file'), '')
  mkdirSync(join(folder, 'next.partial'))
  writeFileSync(join(folder, 'next.partial/file'), '')
  await t.rejects(backUp({ home, to: full }), { code: 'conflict', message: /is not empty/ })
  await t.rejects(backUp({ home, to: join(folder, 'next') }), { code: 'conflict', message: /left over/ })
  await t.rejects(backUp({ home, to: inProject('files/backup') }), { message: /is in a workspace/ })
  await t.rejects(backUp({ home: full, to: join(folder, 'none') }), { code: 'not_found' })
  await t.rejects(restore({ from: to, home }), { code: 'conflict', message: /holds a workspace/ })
  await t.rejects(restore({ from: to, home: full }), { code: 'conflict', message: /is not empty/ })
  await t.rejects(restore({ from: full, home: join(folder, 'none') }), { message: /no backup.json/ })
  t.same(
    readdirSync(folder).filter((name) => name.startsWith('none')),
    [],
  )

  const half = join(folder, 'half')
  const cutOff = () => {
    throw new Error('It was cut off.')
  }
  await t.rejects(restore({ from: to, home: half, onProgress: cutOff }), { message: /cut off/ })
  const words = { code: 'conflict', message: /was interrupted. Remove the folder, and restore/ }
  await t.rejects(restore({ from: to, home: half }), words)
  await t.rejects(createWorkspace({ home: half, name: 'Half', owner: 'Ada' }), words, 'init refuses it, too')

  const damaged = async (what: string, damage: (backup: string) => void, words: RegExp) => {
    const copy = join(folder, what)
    execFileSync('cp', ['-a', to, copy])
    damage(copy)
    await t.rejects(restore({ from: copy, home: join(folder, 'none') }), { message: words }, what)
  }
  await damaged('bad-json', (at) => writeFileSync(join(at, 'backup.json'), '{'), /cannot be read/)
  await damaged('bad-database', (at) => appendFileSync(join(at, 'workroom.db'), 'x'), /database differs/)
  await damaged('no-database', (at) => rmSync(join(at, 'workroom.db')), /database differs/)
  const files = {
    document: 'projects/general/documents/kept.md',
    upload: 'projects/general/files/deep/run.sh',
    skill: 'projects/general/skills/published/SKILL.md',
    attachment: attachedFile(to),
    trash: `trash/general/${readdirSync(join(to, 'trash/general')).find((name) => name.includes('thrown'))}`,
  }
  for (const [what, path] of Object.entries(files)) {
    const change = (at: string) => {
      const bytes = readFileSync(join(at, path))
      bytes[0] = bytes[0]! ^ 1
      writeFileSync(join(at, path), bytes)
    }
    await damaged(
      `bad-${what}`,
      change,
      new RegExp(`is damaged: ${path.replaceAll('.', '\\.')} \\(changed\\)`),
    )
  }
  const lose = (at: string) => {
    rmSync(join(at, 'projects/general/README.md'))
    writeFileSync(join(at, 'projects/general/documents/more.md'), '# More\n')
  }
  await damaged(
    'lossy',
    lose,
    /: projects\/general\/documents\/more.md \(not part of it\), .*README.md \(missing\)/,
  )
  await damaged('bad-sums', (at) => appendFileSync(join(at, 'SHA256SUMS'), '\n'), /its SHA256SUMS differs/)
  t.notOk(existsSync(join(folder, 'none')), 'a refused restore writes nothing')
  const usage = await runWorkroom('backup', '--home', home)
  t.match(usage, { code: 2, stdout: '', stderr: /^workroom: backup takes one DIR\n/ })
})

t.test('sha256sum verifies a backup', async (t) => {
  const to = join(folder, 'summed')
  writeFileSync(inProject('files', 'back\\slash\nand line.txt'), 'Odd.')
  await backUp({ home, to })
  rmSync(inProject('files', 'back\\slash\nand line.txt'))
  t.match(
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: to, encoding: 'utf8' }),
    /README\.md: OK/,
  )
  await restore({ from: to, home: join(folder, 'from-summed') })
})

t.test(
  'a backup without checksums is restored, and files that differ from its database are named',
  async (t) => {
    const to = join(folder, 'unsummed')
    const manifest = await backUp({ home, to })
    rmSync(join(to, 'SHA256SUMS'))
    const { sums, ...former } = { ...manifest, format: 1 }
    t.ok(sums)
    writeFileSync(join(to, 'backup.json'), JSON.stringify(former))
    const kept = join(to, 'projects/general/documents/kept.md')
    writeFileSync(kept, readFileSync(kept, 'utf8').replace('Text', 'Next'))
    const restored = await runWorkroom('restore', to, '--home', join(folder, 'from-unsummed'))
    t.match(restored, {
      code: 0,
      stdout: /\nprojects\/general\/documents\/kept.md: The file differs from its newest revision/,
    })
  },
)
