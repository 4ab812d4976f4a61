import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { databasePath } from '../../../data/home.ts'
import { type BreakableDisk, breakableDisk, systemError } from '../../support/breakable-disk.ts'
import { builtCode } from '../../support/built-code.ts'
import { LiveEditor, signInForEditing } from '../../support/live-editor.ts'
import { testFolder } from '../../support/test-folder.ts'
import { startWorkroom } from '../../support/workroom.ts'
import { KilledServer } from './killed-server.ts'

const words = '\n\nNorth.\n\nSouth.\n'
const code = await builtCode(t)

/** Makes vim save the file just before the server replaces it. */
function saveJustBefore(disk: BreakableDisk, file: string): void {
  disk.replace('renameSync', (real, paths) => {
    if (!paths.includes(file)) return real()
    disk.mend()
    writeFileSync(`${file}.swp`, readFileSync(file, 'utf8').replace('South.', 'South. By vim.'))
    renameSync(`${file}.swp`, file)
    return real()
  })
}

t.test('a save by vim during a save of the live text enters the text', async (t) => {
  const disk = breakableDisk()
  const workroom = await startWorkroom(t, { faults: { tree: { fs: disk.fs } } })
  const { eventually, owner, request } = workroom
  const ada = await signInForEditing(workroom, owner.key)
  const begin = async (name: string) => {
    const { json } = await request('PUT', `/v1/fs/projects/general/docs/${name}.md`, {
      body: `# ${name}${words}`,
    })
    const file = join(workroom.home, 'projects/general/documents', `${name}.md`)
    const editor = new LiveEditor(workroom, json.id, ada)
    await editor.connect()
    t.teardown(() => editor.disconnect())
    return { editor, file, saveByVim: () => saveJustBefore(disk, file) }
  }

  t.test('also after another save of the text', async (t) => {
    const { editor, file, saveByVim } = await begin('tides')
    editor.typeAfter('North.', ' Typed.')
    await eventually(() => editor.isConfirmed || null)
    saveByVim()
    editor.save()
    await editor.waitForMessage('saved')
    editor.typeAfter('Typed.', ' More.')
    await eventually(() => editor.isConfirmed || null)
    editor.save()
    await eventually(() => editor.text.includes('By vim.') || null)
    editor.save()
    const all = '# tides\n\nNorth. Typed. More.\n\nSouth. By vim.\n'
    t.equal(editor.text, all)
    await eventually(() => readFileSync(file, 'utf8') === all || null)
  })

  t.test('also if the last editor leaves with that save', async (t) => {
    const { editor, file, saveByVim } = await begin('lamps')
    editor.typeAfter('North.', ' Typed.')
    await eventually(() => editor.isConfirmed || null)
    saveByVim()
    editor.disconnect()
    const all = '# lamps\n\nNorth. Typed.\n\nSouth. By vim.\n'
    await eventually(() => readFileSync(file, 'utf8') === all || null)
    t.pass()
  })

  t.test('also if a program has written the file since', async (t) => {
    const { editor, file, saveByVim } = await begin('masts')
    editor.typeAfter('North.', ' Typed.')
    await eventually(() => editor.isConfirmed || null)
    saveByVim()
    editor.disconnect()
    await eventually(() => readFileSync(file, 'utf8').includes('Typed.') || null)
    const edits = [{ find: 'Typed.', replace: 'Typed. By PATCH.' }]
    const edited = await request('PATCH', '/v1/fs/projects/general/docs/masts.md', { body: { edits } })
    t.equal(edited.status, 201)
    const all = '# masts\n\nNorth. Typed. By PATCH.\n\nSouth. By vim.\n'
    await eventually(() => readFileSync(file, 'utf8') === all || null)
  })

  t.test('also if the server stops with that save', async (t) => {
    const { editor, file, saveByVim } = await begin('ropes')
    editor.typeAfter('North.', ' Typed.')
    await eventually(() => editor.isConfirmed || null)
    saveByVim()
    await workroom.close()
    t.equal(readFileSync(file, 'utf8'), '# ropes\n\nNorth. Typed.\n\nSouth. By vim.\n')
  })
})

t.test('a save by vim that cannot enter the text at once enters it after a restart', async (t) => {
  const disk = breakableDisk()
  let beforeCommit = () => {}
  const faults = { tree: { fs: disk.fs }, database: { beforeCommit: () => beforeCommit() } }
  const workroom = await startWorkroom(t, { faults })
  const { eventually, owner, request } = workroom
  const { json } = await request('PUT', '/v1/fs/projects/general/docs/buoys.md', { body: `# buoys${words}` })
  const file = join(workroom.home, 'projects/general/documents/buoys.md')
  const editor = new LiveEditor(workroom, json.id, await signInForEditing(workroom, owner.key))
  await editor.connect()
  t.teardown(() => editor.disconnect())
  editor.typeAfter('North.', ' Typed.')
  await eventually(() => editor.isConfirmed || null)
  saveJustBefore(disk, file)
  const revisions = new Database(databasePath(workroom.home), { readonly: true })
  t.teardown(() => revisions.close())
  const saved = revisions.prepare("SELECT 1 FROM revisions WHERE document_id = ? AND via = 'disk'")
  let hasFailed = false
  // Vim's save is a revision then, and comes into the text next.
  beforeCommit = () => {
    if (hasFailed || !saved.get(json.id)) return
    hasFailed = true
    throw systemError('ENOSPC')
  }
  editor.save()
  t.equal(await editor.waitForClose(), 1012)
  t.ok(hasFailed)
  await workroom.restart()
  const all = '# buoys\n\nNorth. Typed.\n\nSouth. By vim.\n'
  await eventually(() => readFileSync(file, 'utf8') === all || null)
  await workroom.restart()
  t.equal(readFileSync(file, 'utf8'), all, 'only once')
})

t.test(
  'typed text survives a kill during its save, and so does an edit of the file before the restart',
  async (t) => {
    const server = await KilledServer.start(testFolder(t), code, (end) => t.teardown(end))
    const put = await server.send('PUT', '/v1/fs/projects/general/docs/keel.md', { body: `# keel${words}` })
    const file = join(server.home, 'projects/general/documents/keel.md')
    const editor = new LiveEditor(server, put.json.id, await server.signIn())
    t.teardown(() => editor.disconnect())
    await editor.connect()
    editor.typeAfter('North.', ' Typed.')
    await editor.waitForMessage('updates')
    await server.dieAt({ step: 'renameSync', when: 'before' })
    editor.save()
    await editor.waitForClose()
    t.equal(readFileSync(file, 'utf8'), `# keel${words}`)
    await server.restart(() => appendFileSync(file, 'From a shell.\n'))
    t.match(await server.send('GET', put.json.path), {
      text: /North\. Typed\.\n\nSouth\.\nFrom a shell\.\n$/,
    })
  },
)
