import { existsSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Caller } from '../../../core/access/member.ts'
import { openForCommandLine } from '../../../core/workspace/command-line.ts'
import { eventsOf } from '../../support/event-log.ts'
import { lockableDisk } from '../../support/permission-disk.ts'
import { bodyOf, docs, openProjectFolder, remove } from '../../support/project-folder.ts'

// One test after another, since they share the clock.
const disk = lockableDisk()
const workroom = await openProjectFolder(t, { faults: { tree: { fs: disk.fs } } })

/** Creates a post with an attachment, an uploaded file and a published skill. @returns paths that read them */
async function besides(slug: string) {
  const project = `/v1/fs/projects/${slug}`
  const post = (await workroom.request('PUT', `${project}/posts/news.md`, { body: '# News\n' })).json.path
  const attached = await workroom.request('POST', `${post}/attachments?name=a.txt`, { body: 'Attached.' })
  const uploaded = await workroom.request('POST', `${project}/library/files?name=b.txt`, {
    body: 'Uploaded.',
  })
  const skill = { project: slug, name: 'greet', expectedVersion: 0 }
  const files = { 'SKILL.md': '---\nname: greet\ndescription: Greets.\n---\n' }
  await workroom.request('POST', '/v1/skills', { body: { ...skill, files, expectedDraftRevision: 0 } })
  await workroom.request('POST', '/v1/skills/publish', { body: { ...skill, expectedDraftRevision: 1 } })
  const download = new URL(uploaded.json.downloadUrl)
  return [
    `${post}/attachments`,
    `${post}/attachments/${attached.json.id}`,
    `${project}/library/files`,
    `${project}/library/files/b.txt`,
    download.pathname + download.search,
    `${project}/skills`,
    `${project}/skills/greet`,
    `${project}/skills/greet/SKILL.md`,
    `/v1/skills?project=${slug}`,
    `/v1/skills/${slug}/greet`,
  ]
}

/** Creates a project for one test, with one document. */
async function newProject(slug: string) {
  await workroom.request('POST', '/v1/fs/projects', { body: { name: slug } })
  const root = join(workroom.home, 'projects', slug)
  const docs = `/v1/fs/projects/${slug}/docs`
  const { json, headers } = await workroom.request('PUT', `${docs}/plan.md`, { body: '# Plan\n\nText.\n' })
  const others = await besides(slug)
  await workroom.scan()
  const projectId = workroom.workspace.stores.projects.find(slug)!.id
  const events = () => eventsOf(workroom.home).filter((event) => event.projectId === projectId)
  return {
    slug,
    root,
    docs,
    projectId,
    plan: { id: json.id as string, path: json.path as string, etag: headers.etag },
    others,
    events,
    count: events().length,
  }
}

const caller: Caller = { member: workroom.owner.member, keyId: '', scopes: new Set(['*'] as const) }

type Project = Awaited<ReturnType<typeof newProject>>

/** The problems that name a project or its folder. */
async function problemsOf({ slug }: Project): Promise<string> {
  const { status, json } = await workroom.request('GET', '/healthz')
  const problems: { problem: string; mend: string }[] = json.problems ?? []
  if ((status === 200) !== (problems.length === 0)) throw new Error(`${status}: ${JSON.stringify(json)}`)
  return problems
    .map(({ problem, mend }) => `${problem}: ${mend}`)
    .filter((text) => text.includes(slug))
    .join('\n')
}

/** Checks that reads, writes and lists are refused, nothing is logged, and health says why. */
async function isRefused(t: Test, project: Project, reason: RegExp) {
  const { docs, slug, others } = project
  for (const [method, path, body] of [
    ...others.map((path) => ['GET', path] as const),
    ['PUT', `${docs}/fresh.md`, '# Fresh\n'],
    ['GET', `${docs}/plan.md`],
    ['PUT', `${docs}/plan.md`, '# Plan\n\nNew.\n'],
    ['DELETE', `${docs}/plan.md`],
    ['GET', docs],
    ['GET', `/v1/fs/projects/${slug}`],
  ] as const) {
    const response = await workroom.request(method, path, body === undefined ? {} : { body })
    t.match(
      [response.status, response.json?.message ?? response.json?.error],
      [503, reason],
      `${method} ${path}`,
    )
  }
  t.match(await problemsOf(project), reason)
  await workroom.scan()
  t.equal(project.events().length, project.count)
}

/** Checks that everything is as it was. */
async function isBack(t: Test, project: Project) {
  const { plan, others, slug } = project
  await workroom.scan()
  const read = await workroom.request('GET', plan.path)
  t.match([read.status, read.headers.etag, read.text], [200, plan.etag, `id: ${plan.id}\n`])
  for (const path of others) t.equal((await workroom.request('GET', path)).status, 200, path)
  const { skill } = (await workroom.request('GET', `/v1/skills/${slug}/greet`)).json
  t.match(skill, { version: 1 })
  t.equal(await problemsOf(project), '')
  t.equal(project.events().length, project.count)
}

t.test('a missing project folder deletes nothing, and returns intact', async (t) => {
  const project = await newProject('vanishing')
  const away = join(workroom.home, 'away-vanishing')
  renameSync(project.root, away)
  await isRefused(t, project, /its folder projects\/vanishing is missing; restore it/)
  t.notOk(existsSync(project.root), 'nothing is written where a disk is to be mounted')
  await workroom.passDeletionDelay()
  t.equal(project.events().length, project.count)
  renameSync(away, project.root)
  await isBack(t, project)
  const {
    files: { attachments, library: libraryFiles, downloads },
    skills: { publishedSkills, skills },
  } = workroom.workspace
  const { slug, others } = project
  const [, attached, , , download] = others
  const [id, post] = attached!
    .split('/')
    .filter((name) => /^att_|\.md$/.test(name))
    .reverse()
  const address = { project: slug, folder: 'posts', name: post! } as const
  // The folder goes in the same turn of the event loop, before any watcher reports it.
  for (const read of [
    () => attachments.open(caller, address, id!),
    () => libraryFiles.list(caller, slug),
    () => libraryFiles.read(caller, slug, 'b.txt'),
    () => downloads.open(download!.split('/')[2]!),
    () => publishedSkills.list(caller, slug),
    () => publishedSkills.folder(caller, slug, 'greet'),
    () => publishedSkills.file(caller, slug, 'greet', 'SKILL.md'),
    () => skills.all(caller, slug),
    () => skills.find(caller, { project: slug, name: 'greet' }, null),
  ]) {
    renameSync(project.root, away)
    await t.rejects(async () => read(), { code: 'unavailable' }, `${read}`)
    renameSync(away, project.root)
    await isBack(t, project)
  }
})

t.test('an empty mount point is not an empty project', async (t) => {
  const project = await newProject('mounted')
  const away = join(workroom.home, 'away-mounted')
  renameSync(project.root, away)
  mkdirSync(project.root)
  await isRefused(t, project, /has no marker, .*; mount its disk, or write that file/)
  await workroom.passDeletionDelay()
  t.equal(project.events().length, project.count)
  remove(project.root)
  renameSync(away, project.root)
  await isBack(t, project)
})

t.test('a folder with another marker is not taken for the project', async (t) => {
  const project = await newProject('replaced')
  const away = join(workroom.home, 'away-replaced')
  const foreign = join(project.root, 'documents', 'plan.md')
  renameSync(project.root, away)
  mkdirSync(join(project.root, 'documents'), { recursive: true })
  writeFileSync(join(project.root, '.workroom'), 'prj_00000000000000000000000000\n')
  writeFileSync(foreign, '# Foreign\n')
  await isRefused(t, project, /has no marker/)
  t.equal(readFileSync(foreign, 'utf8'), '# Foreign\n')
  remove(project.root)
  renameSync(away, project.root)
  await isBack(t, project)
})

t.test('a project without its marker is unavailable until it is back', async (t) => {
  const project = await newProject('unmarked')
  unlinkSync(join(project.root, '.workroom'))
  await workroom.scan()
  await isRefused(t, project, new RegExp(`the file \\.workroom with the line ${project.projectId}`))
  writeFileSync(join(project.root, '.workroom'), `${project.projectId}\n`)
  await isBack(t, project)
})

t.test('a renamed project folder is found by its marker', async (t) => {
  const project = await newProject('wandering')
  const there = join(workroom.home, 'projects', 'Renamed by hand')
  renameSync(project.root, there)
  await workroom.eventually(async () => (await workroom.request('GET', project.plan.path)).status === 200)
  await isBack(t, project)
  const put = await workroom.request('PUT', project.plan.path, { body: '# Plan\n\nElsewhere.\n' })
  t.match([put.status, put.json], [201, { id: project.plan.id, path: project.plan.path }])
  t.equal(readFileSync(join(there, 'documents', 'plan.md'), 'utf8'), '# Plan\n\nElsewhere.\n')
  t.notOk(existsSync(project.root))
})

t.test('documents in an unreadable folder are hidden, not deleted', async (t) => {
  const project = await newProject('partly')
  const { docs } = project
  const secret = (await workroom.request('PUT', `${docs}/safe/secret.md`, { body: '# Secret\n' })).json
  const open = (await workroom.request('PUT', `${docs}/open.md`, { body: '# Open\n' })).json
  const count = project.events().length
  disk.lock(join(project.root, 'documents', 'safe'))
  await workroom.scan()
  for (const [method, body] of [['GET'], ['DELETE'], ['PUT', '# Secret\n\nNew.\n']] as const) {
    const response = await workroom.request(method, secret.path, body === undefined ? {} : { body })
    t.match(
      [response.status, response.json?.message],
      [503, /safe\/secret\.md is there, but .*permissions/],
      method,
    )
  }
  const fresh = await workroom.request('PUT', `${docs}/safe/fresh.md`, { body: '# Fresh\n' })
  t.match([fresh.status, fresh.json.message], [503, /documents\/safe: it cannot be read/])
  t.match(await problemsOf(project), /documents\/safe cannot be read: .*chmod u\+rx/)
  t.equal((await workroom.request('GET', open.path)).status, 200, 'other documents are not affected')
  await workroom.passDeletionDelay()
  disk.unlock(join(project.root, 'documents', 'safe'))
  t.equal(bodyOf(await workroom.request('GET', secret.path)), '# Secret\n')
  await workroom.scan()
  t.equal(await problemsOf(project), '')
  t.equal(project.events().length, count)
})

t.test(
  'an unreadable file is not deleted, and other documents are not affected',
  { buffered: true },
  async (t) => {
    const project = await newProject('shuttered')
    const shut = (await workroom.request('PUT', `${project.docs}/shut.md`, { body: '# Shut\n' })).json
    const count = project.events().length
    const file = join(project.root, 'documents', 'shut.md')
    disk.lock(file)
    writeFileSync(file, '# Shut\n\nEdited by somebody who may.\n')
    await workroom.scan()
    const read = await workroom.request('GET', shut.path)
    t.match([read.status, read.json?.message], [503, /shut\.md is there, but it cannot be read/])
    t.equal((await workroom.request('PUT', shut.path, { body: '# Shut\n\nMine.\n' })).status, 503)
    t.equal((await workroom.request('GET', project.plan.path)).status, 200)
    // The watcher may be checking the file just now.
    const skipped = await workroom.eventually(() =>
      workroom.workspace.maintenance
        .skippedFiles()
        .find(({ path }) => path.endsWith('shuttered/documents/shut.md')),
    )
    t.match(skipped, { reason: /cannot be read/ })
    t.equal(project.events().length, count)
    disk.unlock(file)
    t.equal(bodyOf(await workroom.request('GET', shut.path)), '# Shut\n\nEdited by somebody who may.\n')
    t.equal(project.events().length, count + 1)
  },
)

t.test(
  'if many files vanish at once, none is deleted until an owner confirms',
  { buffered: true },
  async (t) => {
    const project = await newProject('autumn')
    const { docs, slug } = project
    const leaf = (n: number) => join(project.root, 'documents', `leaf-${n}.md`)
    for (let n = 0; n < 40; n++) writeFileSync(leaf(n), `# Leaf ${n}\n`)
    await workroom.scan()
    const deletions = () => project.events().filter(({ type }) => type === 'doc.delete')
    for (let n = 0; n < 25; n++) unlinkSync(leaf(n))
    await workroom.passDeletionDelay()
    t.match(await problemsOf(project), /25 documents/)
    t.match(await problemsOf(project), /confirm with: workroom doctor --confirm-deletions autumn/)
    t.same(deletions(), [])
    const read = await workroom.request('GET', `${docs}/leaf-3.md`)
    t.match([read.status, read.json.message], [503, /vanished .* together with many others/])
    t.equal((await workroom.request('PUT', `${docs}/leaf-3.md`, { body: '# Leaf 3\n\nNew.\n' })).status, 503)
    t.equal((await workroom.request('GET', project.plan.path)).status, 200, 'other documents are served')

    for (let n = 0; n < 5; n++) writeFileSync(leaf(n), `# Leaf ${n}\n`)
    await workroom.scan()
    t.equal(bodyOf(await workroom.request('GET', `${docs}/leaf-3.md`)), '# Leaf 3\n')
    t.match(await problemsOf(project), /20 documents/)

    const administration = openForCommandLine(workroom.home)
    await administration.projects.confirmDeletions(administration.projects.find(slug)!)
    await administration.close()
    await workroom.eventually(() => deletions().length === 20)
    t.equal(await problemsOf(project), '')
    t.equal((await workroom.request('GET', `${docs}/leaf-9.md`)).status, 404)
    t.equal((await workroom.request('GET', `${docs}/leaf-3.md`)).status, 200)
  },
)

t.test('many files that vanish while the server is down are not deleted either', async (t) => {
  const workroom = await openProjectFolder(t, {
    prepare(home) {
      const folder = join(home, 'projects/general/documents')
      for (let n = 0; n < 40; n++) writeFileSync(join(folder, `leaf-${n}.md`), `# Leaf ${n}\n`)
    },
  })
  const count = eventsOf(workroom.home).length
  const away = join(workroom.home, 'away')
  await workroom.restart(() => renameSync(workroom.at('documents'), away))
  const { status, json } = await workroom.request('GET', '/healthz')
  t.match([status, JSON.stringify(json)], [503, /41 documents of the project general disappeared/])
  t.equal((await workroom.request('GET', `${docs}/leaf-0.md`)).status, 503)
  remove(workroom.at('documents'))
  renameSync(away, workroom.at('documents'))
  await workroom.scan()
  t.equal((await workroom.request('GET', '/healthz')).status, 200)
  t.equal((await workroom.request('GET', `${docs}/leaf-0.md`)).status, 200)
  t.equal(eventsOf(workroom.home).length, count)
})
