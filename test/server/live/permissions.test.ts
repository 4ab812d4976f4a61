import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'
import { sendRaw } from '../../support/http-client.ts'
import { leaveProject } from '../../support/leave-project.ts'
import { LiveEditor } from '../../support/live-editor.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { clock, eventually, owner, request } = workroom
const { json: created } = await request('POST', '/v1/projects', { body: { name: 'Harbour' } })
const tree = '/v1/fs/projects/harbour'

async function newDocument(
  title: string,
  folder = 'docs',
  key = owner.key,
): Promise<{ id: string; path: string }> {
  const { json } = await request('PUT', `${tree}/${folder}/${title.toLowerCase()}.md`, {
    body: `# ${title}\n\nOne.\n`,
    key,
  })
  return json
}

async function newPerson(name: string) {
  const { key, member } = await workroom.addMember({ name, type: 'human' }, 'harbour')
  const browser = await new ScriptlessBrowser(workroom).signIn(key)
  const csrf = await browser.csrf()
  return { key, member, browser, signin: { cookie: browser.cookie!, csrf } }
}

/** A person who has typed text that is not saved yet. */
async function typing(name: string, documentId: string) {
  const person = await newPerson(name)
  const editor = new LiveEditor(workroom, documentId, person.signin)
  await editor.connect()
  t.teardown(() => editor.disconnect())
  editor.type(` By ${name}.`)
  await eventually(() => editor.isConfirmed || null)
  return { ...person, editor }
}

t.test('signing out or a deactivation disconnects an editor and saves what was typed', async (t) => {
  const document = await newDocument('Ropes')
  const grace = await typing('Grace', document.id)
  await grace.browser.submit('/signout', { csrf: grace.signin.csrf })
  t.equal(await grace.editor.waitForClose(), 4401)
  const linus = await typing('Linus', document.id)
  await workroom.workspace.stores.members.setStatus(linus.member.id, 'deactivated')
  t.equal(await linus.editor.waitForClose(), 4401)
  await eventually(
    async () => /By Grace\. By Linus\./.test((await request('GET', document.path)).text) || null,
  )
})

const harbour = '/v1/projects/harbour'

t.test('removal from the project ends editing with a message, and no word is lost', async (t) => {
  const document = await newDocument('Masts')
  const other = await typing('Barbara', document.id)
  const { editor, member } = await typing('Niklaus', document.id)
  editor.stopReading()
  t.equal((await request('DELETE', `${harbour}/members/${member.id}`)).status, 200)
  editor.type(' Too late.')
  editor.resumeReading()
  t.equal(await editor.waitForClose(), 4403)
  t.match(await editor.waitForMessage('refused'), {
    code: 'not_allowed',
    message: /not a member of the project/,
  })
  t.match(await other.editor.waitForMessage('left'), { member: { name: 'Niklaus' } })
  await t.rejects(editor.connect(), { message: 'closed with 4403' })
  const text = async () => (await request('GET', document.path)).text
  await eventually(async () => {
    clock.advance(2000)
    return /One\.\n By Barbara\. By Niklaus\.$/.test(await text()) || null
  })
  t.notMatch(other.editor.text, /Too late/)
  t.match(editor.text, /Too late/, 'it stays in the browser')
  await request('POST', `${harbour}/members`, { body: { memberId: member.id } })
  await editor.connect()
  await eventually(() => /By Niklaus\. Too late\./.test(other.editor.text) || null)
})

t.test('removal by another process ends editing without any request', async (t) => {
  const document = await newDocument('Yards')
  const { editor, member } = await typing('Frances', document.id)
  await leaveProject(workroom.home, created.project._id, member.id)
  t.equal(await editor.waitForClose(), 4403)
  await eventually(async () => /By Frances\./.test((await request('GET', document.path)).text) || null)
})

t.test('an agent that is removed from the project is no longer shown in a text', async (t) => {
  const document = await newDocument('Winches')
  const { editor } = await typing('Sophie', document.id)
  const agent = await workroom.addMember({ name: 'Helper', type: 'agent' }, 'harbour')
  await request('POST', `${document.path}/_presence`, { key: agent.key })
  const shown = { clientId: `presence:${agent.member.id}`, member: { name: 'Helper' } }
  t.match(await editor.waitForMessage('joined'), shown)
  await request('DELETE', `${harbour}/members/${agent.member.id}`)
  t.match(await editor.waitForMessage('left'), shown)
})

t.test('editing continues with another role, since every role of a project may write', async (t) => {
  const document = await newDocument('Booms')
  const { editor, member } = await typing('Radia', document.id)
  const words = [' As a lead.', ' As a member.', ' As an admin.', ' As a member again.']
  const changes = [
    () => request('POST', `${harbour}/members`, { body: { memberId: member.id, role: 'lead' } }),
    () => request('POST', `${harbour}/members`, { body: { memberId: member.id, role: 'member' } }),
    () => request('PATCH', `/api/members/${member.id}`, { body: { role: 'admin' } }),
    () => request('PATCH', `/api/members/${member.id}`, { body: { role: 'member' } }),
  ]
  for (const [index, change] of changes.entries()) {
    t.match(await change(), { status: index < 2 ? 201 : 200 })
    editor.type(words[index]!)
    await eventually(() => editor.isConfirmed || null)
  }
  t.equal(editor.closeCode, null)
  await request('PATCH', `/api/members/${member.id}`, { body: { role: 'admin' } })
  await request('DELETE', `${harbour}/members/${member.id}`)
  t.equal(await editor.waitForClose(), 4403, 'an admin writes in no project that they are not in')
  await eventually(async () => (await request('GET', document.path)).text.endsWith(words.join('')) || null)
})

t.test('no key opens a text, and revoking or rotating one ends no session', async (t) => {
  const document = await newDocument('Stays')
  const { key, editor, member } = await typing('Edith', document.id)
  const address = `${workroom.url.replace('http', 'ws')}/live/documents/${document.id}`
  for (const own of [key, owner.key]) {
    const socket = new WebSocket(address, {
      headers: { Authorization: `Bearer ${own}`, Origin: workroom.url },
    })
    t.teardown(() => socket.terminate())
    const [[message], [code]] = await Promise.all([once(socket, 'message'), once(socket, 'close')])
    t.match([code, JSON.parse(String(message))], [4401, { type: 'refused', code: 'unauthorized' }])
  }
  const keys = `/api/members/${member.id}/keys`
  const { json } = await request('GET', keys)
  const rotated = await request('POST', `${keys}/${json.keys[0].id}/rotate`)
  t.equal(rotated.status, 201)
  t.equal((await request('DELETE', `${keys}/${rotated.json.id}`)).status, 200)
  editor.type(' Without a key.')
  await eventually(() => editor.isConfirmed || null)
  t.equal(editor.closeCode, null)
  await workroom.workspace.signin.sessions.endAll(member)
  t.equal(await editor.waitForClose(), 4401)
  await eventually(
    async () => /By Edith\. Without a key\./.test((await request('GET', document.path)).text) || null,
  )
})

t.test('an upgrade for another or no valid path is refused and ends the connection', async (t) => {
  const head = [
    `Host: ${new URL(workroom.url).host}`,
    `Origin: ${workroom.url}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ]
  const statusOf = async (target: string) => {
    const response = await sendRaw(workroom.url, `GET ${target} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
    return response.split('\r\n', 1)[0]
  }
  for (const target of [
    '/live',
    '/live/documents/a/b',
    '/api/rooms',
    '/live/documents/%',
    '/live/documents/%ff',
  ])
    t.equal(await statusOf(target), 'HTTP/1.1 404 Refused', target)
  for (const target of ['http://[', 'foo://host'])
    t.equal(await statusOf(target), 'HTTP/1.1 400 Refused', target)
})

t.test('archiving a project ends editing with a message, and what was typed is kept', async (t) => {
  const document = await newDocument('Sails')
  const { editor } = await typing('Mary', document.id)
  await request('PATCH', '/v1/projects/harbour', { body: { archived: true } })
  t.equal(await editor.waitForClose(), 4403)
  t.match(await editor.waitForMessage('refused'), { code: 'not_allowed', message: /archived/ })
  await request('PATCH', '/v1/projects/harbour', { body: { archived: false } })
  await eventually(async () => /By Mary\./.test((await request('GET', document.path)).text) || null)
})

t.test(
  'if a draft is published while somebody types in it, the last words become another draft',
  async (t) => {
    const person = await newPerson('Alan')
    const draft = await newDocument('Soon', 'drafts', person.key)
    const editor = new LiveEditor(workroom, draft.id, person.signin)
    await editor.connect()
    editor.type(' Last words.')
    await eventually(() => editor.isConfirmed || null)
    const { json: post } = await request('POST', `${draft.path}/_publish`, { key: person.key })
    t.match(await editor.waitForMessage('gone'), {
      reason: 'published',
      to: /posts\/.*soon/,
      draft: /drafts/,
    })
    t.equal(await editor.waitForClose(), 4404)
    t.notMatch(await request('GET', post.path), { text: /Last words/ })
    const { json: drafts } = await request('GET', `${tree}/drafts`, { key: person.key })
    t.match(await request('GET', drafts.posts[0].path, { key: person.key }), {
      text: /One\.\n* Last words\./,
    })
  },
)
