import t from 'tap'
import { createWorkspace } from '../../../core/workspace/setup.ts'
import { builtCode } from '../../support/built-code.ts'
import { eventually } from '../../support/eventually.ts'
import { request } from '../../support/http-client.ts'
import { LiveEditor, signInForEditing } from '../../support/live-editor.ts'
import { childServers } from '../durability/child-server.ts'

t.setTimeout(120_000)
const kills = 5
const code = await builtCode(t)

t.test('a server that is killed again and again while four type loses and doubles no letter', async (t) => {
  const home = `${t.testdir()}/home`
  const { key } = await createWorkspace({ home, name: 'Testers', owner: 'Ada' })
  const servers = childServers(t, { home, code })
  let server = await servers.start()
  const send: typeof request = (url, method, path, options) => request(url, method, path, { key, ...options })
  await send(server.url, 'POST', '/v1/projects', { body: { name: 'Harbour' } })
  const put = await send(server.url, 'PUT', '/v1/fs/projects/harbour/docs/tides.md', { body: '# Tides\n\n' })
  const id = String(put.json.id ?? put.json._id)
  const where = {
    get url() {
      return server.url
    },
    request: (...asked: [string, string]) => send(server.url, ...asked),
  }
  const signin = await signInForEditing(where, key)
  const editors = Array.from({ length: 4 }, () => new LiveEditor(where, id, signin))
  t.teardown(() => editors.map((editor) => editor.cut()))
  let typed = 0
  for (let round = 0; round <= kills; round++) {
    await Promise.all(editors.map((editor) => editor.connect()))
    await Promise.all(editors.map((editor) => eventually(() => editor.isConfirmed || null)))
    for (let letter = 0; letter < 5; letter++) {
      for (const editor of editors) editor.type(String.fromCodePoint(0x4e00 + typed++))
    }
    if (round === kills) break
    // Some are confirmed by now, and some are not.
    await eventually(() => editors.some(({ confirmed }) => confirmed >= 5 * round + 1) || null)
    server.kill()
    await server.gone
    for (const editor of editors) editor.cut()
    server = await servers.start()
  }
  for (const editor of editors) await eventually(() => editor.isConfirmed || null)
  const [first] = editors
  for (const editor of editors) await eventually(() => editor.text === first!.text || null)
  first!.save()
  const read = () => send(server.url, 'GET', put.json.path as string)
  await eventually(async () => (await read()).text.endsWith(first!.text) || null)
  const missing = Array.from({ length: typed }, (_, index) => String.fromCodePoint(0x4e00 + index)).filter(
    (letter) => first!.text.split(letter).length !== 2,
  )
  t.same(missing, [])
})
