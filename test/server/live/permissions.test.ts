import t from 'tap'
import { LiveEditor } from '../../support/live-editor.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { eventually, owner, request } = workroom
await request('POST', '/v1/projects', { body: { name: 'Harbour' } })
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
  t.teardown(() => editor.cut())
  editor.type(` By ${name}.`)
  await eventually(() => editor.isConfirmed || null)
  return { ...person, editor }
}

t.test('signing out or a deactivation disconnects an editor and saves what was typed', async (t) => {
  const document = await newDocument('Ropes')
  const grace = await typing('Grace', document.id)
  await grace.browser.submit('/signout', { csrf: grace.signin.csrf })
  t.equal(await grace.editor.closed(), 4401)
  const linus = await typing('Linus', document.id)
  await workroom.workspace.stores.members.setStatus(linus.member.id, 'deactivated')
  t.equal(await linus.editor.closed(), 4401)
  await eventually(
    async () => /By Grace\. By Linus\./.test((await request('GET', document.path)).text) || null,
  )
})

t.test('archiving a project ends editing with a message, and what was typed is kept', async (t) => {
  const document = await newDocument('Sails')
  const { editor } = await typing('Mary', document.id)
  await request('PATCH', '/v1/projects/harbour', { body: { archived: true } })
  t.equal(await editor.closed(), 4403)
  t.match(await editor.message('refused'), { code: 'not_allowed', message: /archived/ })
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
    t.match(await editor.message('gone'), { reason: 'published', to: /posts\/.*soon/, draft: /drafts/ })
    t.equal(await editor.closed(), 4404)
    t.notMatch(await request('GET', post.path), { text: /Last words/ })
    const { json: drafts } = await request('GET', `${tree}/drafts`, { key: person.key })
    t.match(await request('GET', drafts.posts[0].path, { key: person.key }), {
      text: /One\.\n* Last words\./,
    })
  },
)
