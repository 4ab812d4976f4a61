import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
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
  t.teardown(() => editor.cut())
  return editor
}

const same = (...editors: LiveEditor[]) =>
  eventually(() => {
    const [first] = editors
    return editors.every((one) => one.isConfirmed && one.text === first!.text) || null
  })

t.test('what one types the other has, and what both type stays', async (t) => {
  const document = await newDocument('Harbour', 'North: 4\n\nSouth: 5\n')
  const [one, other] = [await open(document), await open(document, signedInGrace)]
  one.typeAfter('North: 4', ' boats')
  other.typeAfter('South: 5', ' boats')
  one.typeAfter('Harbour', ' of Ada')
  await same(one, other)
  t.equal(one.text, '# Harbour of Ada\n\nNorth: 4 boats\n\nSouth: 5 boats\n')
  clock.advance(2000)
  const saved = await one.message('saved')
  t.equal(await document.read(), one.text)
  t.equal((await request('GET', document.path)).headers['x-service-revision'], saved.revision)
  const names = other.messages.flatMap((one) => (one.type === 'updates' ? one.updates : []))
  t.match(names[0], { member: { name: 'Ada' }, origin: 'typing' })
})

t.test('a PUT, a block, an edit and a save on the disk come into the text while others type', async (t) => {
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
