import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { basicAuthorization } from '../../support/dav-client.ts'
import { LiveEditor, signInForEditing } from '../../support/live-editor.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { owner, request, eventually, clock } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const tree = '/v1/fs/projects/general'
const ada = await signInForEditing(workroom, owner.key)
const signedInGrace = await signInForEditing(workroom, grace.key)

async function newDocument(title: string, body: string) {
  const { json } = await request('PUT', `${tree}/docs/${title.toLowerCase()}.md`, {
    body: `# ${title}\n\n${body}`,
  })
  const read = async () => {
    const { text } = await request('GET', json.path)
    return text.slice(text.indexOf('# '))
  }
  return {
    id: String(json.id),
    path: String(json.path),
    file: join(workroom.home, 'projects', 'general', 'documents', String(json.filename)),
    read,
  }
}

type Document = Awaited<ReturnType<typeof newDocument>>

async function open({ id }: Document, who = ada): Promise<LiveEditor> {
  const editor = new LiveEditor(workroom, id, who)
  await editor.connect()
  t.teardown(() => editor.disconnect())
  return editor
}

const same = (...editors: LiveEditor[]) =>
  eventually(() => {
    const [first] = editors
    return editors.every((one) => one.isConfirmed && one.text === first!.text) || null
  })

t.test('two editors of a text see each other’s typing, and all of it is kept', async (t) => {
  const document = await newDocument('Harbour', 'North: 4\n\nSouth: 5\n')
  const [one, other] = [await open(document), await open(document, signedInGrace)]
  one.typeAfter('North: 4', ' boats')
  other.typeAfter('South: 5', ' boats')
  one.typeAfter('Harbour', ' of Ada')
  await same(one, other)
  t.equal(one.text, '# Harbour of Ada\n\nNorth: 4 boats\n\nSouth: 5 boats\n')
  clock.advance(2000)
  const saved = await one.waitForMessage('saved')
  t.equal(await document.read(), one.text)
  t.equal((await request('GET', document.path)).headers['x-service-revision'], saved.revision)
  const names = other.messages.flatMap((one) => (one.type === 'updates' ? one.updates : []))
  t.match(names[0], { member: { name: 'Ada' }, origin: 'typing' })
})

t.test('a PUT, an edit and a save on the disk enter the text while others type', async (t) => {
  const document = await newDocument('Tides', 'High\n\nLow\n\nSpring\n\nNeap\n')
  const one = await open(document)
  one.typeAfter('High', ' at six')
  await request('PUT', document.path, { body: '# Tides\n\nHigh\n\nLow by PUT\n\nSpring\n\nNeap\n' })
  await eventually(() => one.text.includes('Low by PUT') || null)
  t.equal(one.text, '# Tides\n\nHigh at six\n\nLow by PUT\n\nSpring\n\nNeap\n')
  await request('PATCH', document.path, { body: { edits: [{ find: 'Spring', replace: 'Spring by PATCH' }] } })
  await eventually(() => one.text.includes('by PATCH') || null)
  one.typeAfter('Low', ' water')
  await eventually(() => one.isConfirmed || null)
  clock.advance(2000)
  await eventually(async () => (await document.read()) === one.text || null)
  writeFileSync(document.file, readFileSync(document.file, 'utf8').replace('Neap', 'Neap by vim'))
  await eventually(() => one.text.includes('Neap by vim') || null)
  t.equal(one.text, '# Tides\n\nHigh at six\n\nLow water by PUT\n\nSpring by PATCH\n\nNeap by vim\n')
})

t.test('writes by block, restore and WebDAV enter the text with their writer’s name', async (t) => {
  const document = await newDocument('Currents', 'Ebb\n\nFlood\n')
  const one = await open(document)
  const first = (await request('GET', document.path)).headers['x-service-revision']
  const { json } = await request('GET', `${document.path}?view=blocks`)
  const { id } = (json.blocks as { id: string; text: string }[]).find(({ text }) => text === 'Flood')!
  const asGrace = { key: grace.key }
  await request('PUT', `${document.path}?block=${id}`, { body: 'Flood by block', ...asGrace })
  await eventually(() => one.text.includes('by block') || null)
  one.typeAfter('Ebb', ' typed')
  await eventually(() => one.isConfirmed || null)
  await request('POST', `${document.path}/_restore`, { body: { revision: first }, ...asGrace })
  await eventually(() => !one.text.includes('by block') || null)
  t.equal(one.text, '# Currents\n\nEbb typed\n\nFlood\n')
  const mount = '/dav/projects/general/documents/currents.md'
  const Authorization = basicAuthorization(grace.key)
  await request('PUT', mount, {
    body: '# Currents\n\nEbb\n\nFlood by DAV\n',
    key: undefined,
    headers: { Authorization },
  })
  await eventually(() => one.text.includes('by DAV') || null)
  t.equal(one.text, '# Currents\n\nEbb typed\n\nFlood by DAV\n')
  const received = one.messages.flatMap((message) => (message.type === 'updates' ? message.updates : []))
  t.same(
    received.filter(({ origin }) => origin === 'put').map(({ member }) => member.name),
    ['Grace', 'Grace', 'Grace'],
  )
  one.save()
  await eventually(async () => (await document.read()) === one.text || null)
})

t.test('preconditions of programs are checked against the revision saved last', async (t) => {
  const document = await newDocument('Depths', 'One\n\nTwo\n\nThree\n')
  const one = await open(document)
  one.typeAfter('One', ' typed')
  await eventually(() => one.isConfirmed || null)
  const read = await request('GET', document.path)
  t.equal(read.text.includes('typed'), false, 'a read shows what is saved')
  t.equal(readFileSync(document.file, 'utf8').includes('typed'), false, 'the file holds what is saved')
  const old = read.headers['x-service-revision']
  const put = await request('PUT', document.path, {
    body: read.text.replace('Two', 'Two by PUT'),
    headers: { 'If-Match': read.headers.etag },
  })
  t.equal(put.status, 201)
  await eventually(() => one.text.includes('by PUT') || null)
  const edits = [{ find: 'Three', replace: 'Three by PATCH' }]
  const patch = (expectedRevision: unknown) =>
    request('PATCH', document.path, { body: { edits, expectedRevision } })
  t.equal((await patch(old)).status, 409)
  const current = put.headers['x-service-revision']
  one.save()
  await eventually(async () => (await document.read()).includes('typed') || null)
  t.equal((await patch(current)).status, 409, 'also if people wrote the newer revision')
  t.equal((await patch((await request('GET', document.path)).headers['x-service-revision'])).status, 201)
  await eventually(() => one.text.includes('by PATCH') || null)
  t.equal(one.text, '# Depths\n\nOne typed\n\nTwo by PUT\n\nThree by PATCH\n')
})

t.test('uninterrupted typing is saved after 20 seconds, and at once when its editor leaves', async (t) => {
  const before = workroom.workspace.live.counts.documents
  const document = await newDocument('Logs', 'One.\n')
  const one = await open(document)
  const typeFor = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      one.type('x')
      await eventually(() => one.isConfirmed || null)
      clock.advance(1000)
    }
  }
  await typeFor(19)
  t.equal(await document.read(), '# Logs\n\nOne.\n')
  await typeFor(1)
  await eventually(async () => (await document.read()) === `# Logs\n\nOne.\n${'x'.repeat(20)}` || null)
  one.type('y')
  await eventually(() => one.isConfirmed || null)
  one.disconnect()
  await eventually(async () => (await document.read()) === `# Logs\n\nOne.\n${'x'.repeat(20)}y` || null)
  await eventually(() => workroom.workspace.live.counts.documents === before || null)
})

t.test('a card can be edited together, too', async (t) => {
  const { json } = await request('PUT', `${tree}/board/02-todo/paint.md`, { body: '# Paint\n\nRed.\n' })
  const editors = [new LiveEditor(workroom, json.id, ada), new LiveEditor(workroom, json.id, signedInGrace)]
  t.teardown(() => editors.map((editor) => editor.disconnect()))
  await Promise.all(editors.map((editor) => editor.connect()))
  editors[0]!.typeAfter('Red', ' and blue')
  await same(...editors)
  editors[1]!.save()
  await eventually(async () => (await request('GET', json.path)).text.includes('Red and blue.') || null)
})

t.test('a revision names everyone who wrote it', async (t) => {
  const document = await newDocument('Lamps', 'One.\n')
  const [one, other] = [await open(document), await open(document, signedInGrace)]
  one.type('Words of Ada. ')
  other.type('And. ')
  await same(one, other)
  one.save()
  await one.waitForMessage('saved')
  const { json } = await request('GET', `${document.path}/_revisions`)
  t.match(json.revisions[0], { author: 'Ada', writers: ['Ada', 'Grace'] })
  const history = await request('GET', '/projects/general/docs/lamps?history', {
    key: undefined,
    headers: { Cookie: ada.cookie },
  })
  t.match(history.text, /current<\/span><br>\s*<small><bdi>Ada<\/bdi> and <bdi>Grace<\/bdi>/)
})

t.test('programs can see that people are editing a file', async (t) => {
  const document = await newDocument('Ropes', 'One.\n')
  t.equal((await request('GET', document.path)).headers['x-service-live'], undefined)
  const one = await open(document)
  t.equal((await request('GET', document.path)).headers['x-service-live'], '1')
  const beat = await request('POST', `${document.path}/_presence`)
  t.equal(beat.json.live, true)
  one.disconnect()
  await eventually(
    async () => (await request('GET', document.path)).headers['x-service-live'] === undefined || null,
  )
})

t.test('an editor whose connection was lost continues where it was', async (t) => {
  const document = await newDocument('Oars', 'One.\n')
  const [one, other] = [await open(document), await open(document, signedInGrace)]
  one.disconnect()
  one.type(' Offline.')
  other.type(' Meanwhile.')
  await eventually(() => other.isConfirmed || null)
  await one.connect()
  await same(one, other)
  t.match(one.text, /Offline\./)
  t.match(one.text, /Meanwhile\./)
})

t.test('editors learn of a deletion, and unsaved text becomes a draft', async (t) => {
  const document = await newDocument('Sails', 'One.\n')
  const one = await open(document, signedInGrace)
  one.type(' Unsaved words.')
  await eventually(() => one.isConfirmed || null)
  await request('DELETE', document.path)
  const gone = await one.waitForMessage('gone')
  t.match(gone, { reason: 'deleted', by: { name: 'Ada' }, draft: /drafts/ })
  t.equal(await one.waitForClose(), 4404)
  const { json } = await request('GET', `${tree}/drafts`, { key: grace.key })
  const draft = await request('GET', json.posts[0].path, { key: grace.key })
  t.match(draft.text, /Unsaved words\./)
})

t.test('unsaved text of a deleted document that no file can hold becomes a plain-text draft', async (t) => {
  const document = await newDocument('Knots', 'One.\n')
  const [one, other] = [await open(document), await open(document, signedInGrace)]
  one.type('---\ntags: [a\n---\n', 0)
  other.type(' Of Grace.')
  await same(one, other)
  await request('DELETE', document.path)
  for (const [editor, key] of [
    [one, owner.key],
    [other, grace.key],
  ] as const) {
    const { draft } = await editor.waitForMessage('gone')
    const { text } = await request('GET', `/v1/fs${draft}.md`, { key })
    t.match(text, /# Knots\n\n---\ntags: \[a\n---\n# Knots\n\nOne\.\n Of Grace\./)
  }
})

t.test('a member who has left the project gets no draft, and all others do', async (t) => {
  const document = await newDocument('Bends', 'One.\n')
  const leaver = await workroom.addMember({ name: 'Leaver', type: 'human' }, 'general')
  const [one, other] = [
    await open(document, await signInForEditing(workroom, leaver.key)),
    await open(document, signedInGrace),
  ]
  one.type(' Many more words of the one who leaves.')
  await same(one, other)
  other.type(' Of Grace.')
  await same(one, other)
  await request('DELETE', `/v1/projects/general/members/${leaver.member.id}`)
  t.equal(await one.waitForClose(), 4403)
  await request('DELETE', document.path)
  const { draft } = await other.waitForMessage('gone')
  const { text } = await request('GET', `/v1/fs${draft}.md`, { key: grace.key })
  t.match(text, /One\.\n Many more words of the one who leaves\. Of Grace\./)
})

t.test('text typed in a project that is deleted is there when the project is restored', async (t) => {
  const { json } = await request('POST', '/v1/projects', { body: { name: 'Wreck' } })
  const path = '/v1/fs/projects/wreck/docs/hull.md'
  const { json: hull } = await request('PUT', path, { body: '# Hull\n\nOne.\n' })
  const typed = async (words: string) => {
    const one = new LiveEditor(workroom, hull.id, ada)
    await one.connect()
    one.type(words)
    await eventually(() => one.isConfirmed || null)
    await request('DELETE', '/v1/projects/wreck?name=Wreck')
    t.equal(await one.waitForClose(), 4403)
  }
  const restored = (words: RegExp) => {
    const read = async () => words.test((await request('GET', path)).text) || null
    return request('POST', `/v1/projects/${json.project._id}/_restore`).then(() => eventually(read))
  }
  await typed(' Two.')
  await restored(/One\.\n Two\./)
  await typed(' Three.')
  await workroom.restart()
  await restored(/One\.\n Two\. Three\./)
})

t.test('editors learn of a move, and go on in the same text', async (t) => {
  const document = await newDocument('Masts', 'One.\n')
  const one = await open(document)
  await request('POST', `${document.path}/_move`, { body: { to: 'guides/masts.md' } })
  t.match(await one.waitForMessage('gone'), { reason: 'moved', to: /guides\/masts/ })
  one.type(' More.')
  await eventually(() => one.isConfirmed || null)
})

t.test('a member without permission, or whose permission is withdrawn, cannot edit', async (t) => {
  const document = await newDocument('Winch', 'One.\n')
  const mary = await workroom.addMember({ name: 'Mary', type: 'human' }, 'general')
  const signin = await signInForEditing(workroom, mary.key)
  const one = await open(document, signin)
  await request('DELETE', `/v1/projects/general/members/${mary.member.id}`)
  t.equal(await one.waitForClose(), 4403)
  const refused = async (who: typeof signin, origin?: string) => {
    const editor = new LiveEditor(workroom, document.id, who)
    return editor.connect(origin).catch((error: Error) => error.message)
  }
  t.equal(await refused(signin), 'closed with 4403')
  t.equal(await refused({ ...ada, csrf: 'x'.repeat(86) }), 'closed with 4403')
  t.equal(await refused({ ...ada, cookie: 'workroom_session=none' }), 'closed with 4401')
  t.equal(await refused(ada, 'https://elsewhere.example'), 'status 403')
  const { json } = await request('PUT', `${tree}/drafts/mine.md`, { body: '# Mine\n\nOwn.\n' })
  const others = new LiveEditor(workroom, json.id, signedInGrace)
  t.equal(await others.connect().catch((error: Error) => error.message), 'closed with 4404')
})

t.test('text that cannot be saved is reported, kept, and saved once it is corrected', async (t) => {
  const document = await newDocument('Crew', 'One.\n')
  const one = await open(document)
  one.type('---\ntags: [a\n---\n', 0)
  await eventually(() => one.isConfirmed || null)
  one.save()
  t.match(await one.waitForMessage('saveFailed'), { code: 'invalid', willRetry: false })
  one.type(']', '---\ntags: [a'.length)
  await eventually(() => one.isConfirmed || null)
  clock.advance(2000)
  await one.waitForMessage('saved')
  t.match(await document.read(), /tags|One\./)
})

t.test('typed text survives a restart, and editors go on in the same text', async (t) => {
  const document = await newDocument('Keel', 'One.\n')
  const one = await open(document)
  one.type('Typed.')
  await eventually(() => one.isConfirmed || null)
  await workroom.restart(() => {
    writeFileSync(document.file, readFileSync(document.file, 'utf8').replace('One', 'Uno'))
  })
  t.match(await document.read(), /Uno\.\n+Typed\./)
  one.type(' More.')
  await one.connect()
  await eventually(() => one.isConfirmed || null)
  t.equal(one.text, '# Keel\n\nUno.\nTyped. More.')
})

t.test('a request to upgrade to another protocol is served without the upgrade', async (t) => {
  const headers = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABk' }
  const { status, text } = await request('GET', `${tree}/docs/keel.md`, { headers })
  t.equal(status, 200)
  t.match(text, /Keel/)
})
