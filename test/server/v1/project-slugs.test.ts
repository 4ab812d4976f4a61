import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { owner, request, home } = workroom
const bob = await workroom.addMember({ name: 'Bob', type: 'human' }, 'general')

const rename = (project: string, slug: unknown, { key } = owner) =>
  request('PATCH', `/v1/projects/${project}`, { key, body: { slug } })
const put = (path: string, body: string) =>
  request('PUT', path, { body, headers: { 'Content-Type': 'text/markdown' } })
const basic = { Authorization: `Basic ${Buffer.from(`x:${owner.key}`).toString('base64')}` }

t.test('a project can get another slug, and its former addresses still work', async (t) => {
  await put('/v1/fs/projects/general/docs/tides.md', '# Tides\n\nHigh.\n')
  const before = (await request('GET', '/v1/fs/projects/general/docs')).json
  t.match(before.documents[0].url, '/projects/general/docs/')
  const { status, json } = await rename('general', 'harbour')
  t.match([status, json.project], [200, { slug: 'harbour', url: /\/projects\/harbour$/ }])

  for (const slug of ['harbour', 'general']) {
    t.match(await request('GET', `/v1/projects/${slug}`), {
      status: 200,
      json: { project: { slug: 'harbour' } },
    })
    const read = await request('GET', `/v1/fs/projects/${slug}/docs/tides.md`)
    t.match([read.status, read.text], [200, /project: harbour\n[\s\S]*High\./], slug)
    const { documents } = (await request('GET', `/v1/fs/projects/${slug}/docs`)).json
    t.match(documents.at(-1).url, '/projects/harbour/docs/')
    const dav = await request('GET', `/dav/projects/${slug}/documents/tides.md`, {
      key: undefined,
      headers: basic,
    })
    t.match([dav.status, dav.text], [200, /High\./], `${slug} on the mount`)
  }
  t.equal((await put('/v1/fs/projects/general/docs/new.md', '# New\n')).status, 201)
  t.ok(existsSync(join(home, 'projects/general/documents/new.md')), 'the folder keeps its name')
  const listed = await request('PROPFIND', '/dav/projects/', {
    key: undefined,
    headers: { ...basic, Depth: '1' },
  })
  t.match(listed.text, '/dav/projects/harbour/')
  t.notMatch(listed.text, '/dav/projects/general/')
})

t.test('pages redirect with everything after the slug', async (t) => {
  const browser = await new ScriptlessBrowser(workroom).signIn(owner.key)
  for (const rest of ['', '/docs/tides', '/board', '/settings', '/docs/tides?history']) {
    const response = await browser.open(`/projects/general${rest}`)
    t.match([response.status, response.headers.location], [303, `/projects/harbour${rest}`])
    t.equal((await browser.open(response.headers.location as string)).status, 200, rest)
  }
  const stranger = await workroom.addMember({ name: 'Eve', type: 'human' })
  const outside = await new ScriptlessBrowser(workroom).signIn(stranger.key)
  t.equal((await outside.open('/projects/general')).status, 403)
})

t.test('a former slug works after a restart, and the slug can be changed back', async (t) => {
  await workroom.restart()
  t.equal((await request('GET', '/v1/projects/general')).json.project.slug, 'harbour')
  t.equal((await rename('harbour', 'general')).json.project.slug, 'general')
  t.equal((await request('GET', '/v1/projects/harbour')).json.project.slug, 'general')
  t.equal((await rename('general', 'harbour')).status, 200)
})

t.test('a former slug can be given to another project, which then has it', async (t) => {
  const named = await request('POST', '/v1/projects', { body: { name: 'General' } })
  t.equal(named.json.project.slug, 'general-2', 'only when it is requested')
  const other = await request('POST', '/v1/projects', { body: { name: 'Other', slug: 'pier' } })
  t.equal((await rename('harbour', 'quay')).status, 200)
  t.equal((await rename('pier', 'harbour')).status, 200)
  t.equal((await request('GET', '/v1/projects/harbour')).json.project._id, other.json.project._id)
})

t.test('a taken or invalid slug is refused, and so is a member who may not choose one', async (t) => {
  t.match(await rename('quay', 'harbour'), { status: 409, json: { error: /taken by another project/ } })
  t.match(await rename('quay', 'general-2'), { status: 409 })
  for (const slug of ['', 'Two Words', 'con', '..', 7, 'x'.repeat(81)]) {
    t.equal((await rename('quay', slug)).status, 400, String(slug))
  }
  t.equal((await rename('quay', 'mine', bob)).status, 403)
  t.equal((await request('GET', '/v1/projects/quay')).json.project.slug, 'quay')
})
