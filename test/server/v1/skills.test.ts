import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

let beforeCommit = () => {}
const workroom = await startWorkroom(t, { faults: { database: { beforeCommit: () => beforeCommit() } } })
const { request, home, owner } = workroom
await request('POST', '/v1/fs/projects', { body: { name: 'Garden' } })
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')

const tree = '/v1/fs/projects/general/skills'
const at = (...names: string[]) => join(home, 'projects/general/skills', ...names)
const sheet = (name: string, description = 'Writes notes.') =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# How\n\nWrite.\n`
const expecting = (version: number, draftRevision: number) => ({
  expectedVersion: version,
  expectedDraftRevision: draftRevision,
})
const save = (name: string, body: object = {}, key = bot.key) =>
  request('POST', '/v1/skills', {
    key,
    body: { project: 'general', name, files: { 'SKILL.md': sheet(name) }, ...expecting(0, 0), ...body },
  })
const publish = (name: string, body: object, key = bot.key) =>
  request('POST', '/v1/skills/publish', { key, body: { project: 'general', name, ...body } })
const draft = async (name: string) => (await request('GET', `/v1/skills/general/${name}`)).json.skill
/** Saves and publishes a new skill. */
async function published(name: string, files: Record<string, string> = {}) {
  await save(name, { files: { 'SKILL.md': sheet(name), ...files } })
  return publish(name, expecting(0, 1))
}

t.test('a draft is saved, read again, and not in the tree until it is published', async (t) => {
  const files = { 'SKILL.md': sheet('notes'), 'scripts/run.sh': 'echo hi\n' }
  const saved = await save('notes', { files })
  t.match([saved.status, saved.json], [201, { skill: { name: 'notes', version: 0, draftRevision: 1 } }])
  t.match(await draft('notes'), { name: 'notes', version: 0, draftRevision: 1, path: null, files })
  t.equal((await request('GET', `${tree}/notes`)).status, 404)
  t.same((await request('GET', tree)).json, { project: 'general', skills: [] })
  t.notOk(existsSync(at('notes')))

  const second = await save('notes', { files, ...expecting(0, 1) }, grace.key)
  t.match(second.json, { skill: { version: 0, draftRevision: 2 } })
  const { status, json } = await publish('notes', expecting(0, 2))
  t.match([status, json.skill], [200, { name: 'notes', version: 1, draftRevision: 2, path: `${tree}/notes` }])
  t.equal(readFileSync(at('notes/scripts/run.sh'), 'utf8'), 'echo hi\n')
  t.same((await request('GET', tree)).json.skills, [
    { name: 'notes', description: 'Writes notes.', version: 1, draftRevision: 2, path: `${tree}/notes` },
  ])
  t.match((await request('GET', `${tree}/notes`, { key: grace.key })).json, {
    project: 'general',
    skill: { name: 'notes', version: 1 },
    files: [
      { name: 'SKILL.md', type: 'text/markdown', path: `${tree}/notes/SKILL.md` },
      { name: 'scripts/run.sh', size: 8, path: `${tree}/notes/scripts/run.sh` },
    ],
  })
  t.match((await request('GET', '/v1/skills?project=general')).json.skills, [{ name: 'notes', version: 1 }])
  t.match((await request('GET', '/v1/fs/projects/general')).text, `${tree}`)
})

t.test('a file is answered as text that no browser runs, and as 304 while it is the same', async (t) => {
  await published('files', { 'page.html': '<script>alert(1)</script>', 'résumé.txt': 'Text.' })
  writeFileSync(at('files/picture.png'), Buffer.from([0x89, 0x50, 0, 0xff]))
  const read = (name: string, headers = {}) => request('GET', `${tree}/files/${name}`, { headers })
  const types: [name: string, type: string][] = [
    ['SKILL.md', 'text/markdown; charset=utf-8'],
    ['page.html', 'text/plain; charset=utf-8'],
    [encodeURIComponent('résumé.txt'), 'text/plain; charset=utf-8'],
    ['picture.png', 'application/octet-stream'],
  ]
  for (const [name, type] of types) {
    const { status, headers } = await read(name)
    t.match([status, headers['content-type'], headers['x-content-type-options']], [200, type, 'nosniff'])
    t.match(headers['content-security-policy'], /default-src 'none'; sandbox/)
  }
  const { headers, text } = await read('SKILL.md')
  t.equal(text, sheet('files'))
  t.equal((await read('SKILL.md', { 'If-None-Match': headers.etag! })).status, 304)
  for (const name of ['no.md', '.hidden', 'SKILL.md/deeper', 'a:b', 'x~']) {
    t.equal((await read(name)).status, 404, name)
  }
  symlinkSync(join(home, 'projects/general/README.md'), at('files/link.md'))
  t.equal((await read('link.md')).status, 404, 'a link is not followed')
  const written = await request('PUT', `${tree}/files/SKILL.md`, { body: '# No\n' })
  t.match([written.status, written.headers.allow], [405, /GET/])
})

t.test('a stale expectation is refused with the current state, and of two at once one wins', async (t) => {
  await published('raced')
  const conflict = (response: { status: number; json: object }, version: number, draftRevision: number) =>
    t.match([response.status, response.json], [409, { error: /^SKILL_CONFLICT: /, version, draftRevision }])
  conflict(await save('raced'), 1, 1)
  conflict(await save('raced', expecting(1, 0)), 1, 1)
  conflict(await publish('raced', expecting(0, 1)), 1, 1)
  conflict(await save('unheard-of', expecting(0, 1)), 0, 0)

  const saves = await Promise.all(Array.from({ length: 4 }, () => save('raced', expecting(1, 1))))
  t.same(saves.map(({ status }) => status).sort(), [201, 409, 409, 409])
  const publications = await Promise.all([1, 2, 3].map(() => publish('raced', expecting(1, 2))))
  t.same(publications.map(({ status }) => status).sort(), [200, 409, 409])
  t.match(await draft('raced'), { version: 2, draftRevision: 2 })
  t.same(readdirSync(join(home, '.workroom/tmp')), [], 'nothing of the others is left')
})

t.test(
  'a new version replaces the one before as a whole, and files of the old one can still be read',
  async (t) => {
    await published('whole', { 'old.md': 'Old.\n' })
    await save('whole', {
      files: { 'SKILL.md': sheet('whole', 'Anew.'), 'new.md': 'New.\n' },
      ...expecting(1, 1),
    })
    t.equal((await publish('whole', expecting(1, 2))).status, 200)
    t.same(readdirSync(at('whole')), ['SKILL.md', 'new.md'])
    const [row] = (await request('GET', tree)).json.skills.filter(
      ({ name }: { name: string }) => name === 'whole',
    )
    t.match(row, { description: 'Anew.', version: 2 })
    const version = (number: number | string) => request('GET', `/v1/skills/general/whole?version=${number}`)
    t.equal((await version(1)).json.skill.files['old.md'], 'Old.\n')
    t.match([(await version(9)).status, (await version('x')).status], [404, 400])
  },
)

t.test(
  'an edit of a skill on the disk is a version of its own, which no publication replaces unseen',
  async (t) => {
    await published('edited')
    await save('edited', expecting(1, 1))
    writeFileSync(at('edited/SKILL.md'), sheet('edited', 'By hand.'))
    writeFileSync(at('edited/extra.txt'), 'By hand.\n')
    const refused = await publish('edited', expecting(1, 2))
    t.match([refused.status, refused.json], [409, { version: 2, draftRevision: 2 }])
    t.match((await request('GET', `${tree}/edited`)).json, {
      skill: { description: 'By hand.', version: 2 },
      files: [{ name: 'SKILL.md' }, { name: 'extra.txt' }],
    })
    t.equal((await request('GET', '/v1/skills/general/edited?version=2')).status, 404)
    t.match((await publish('edited', expecting(2, 2))).json, { skill: { version: 3 } })
    t.same(readdirSync(at('edited')), ['SKILL.md'])
    const [kept] = readdirSync(join(home, 'trash/general/skills')).filter((name) =>
      name.startsWith('edited-v2'),
    )
    t.equal(readFileSync(join(home, 'trash/general/skills', kept!, 'extra.txt'), 'utf8'), 'By hand.\n')

    rmSync(at('edited'), { recursive: true })
    t.equal((await request('GET', `${tree}/edited`)).status, 404)
    t.match(await draft('edited'), { version: 4, draftRevision: 2, path: null })
    t.match((await publish('edited', expecting(4, 2))).json, { skill: { version: 5 } })
  },
)

t.test(
  'an edit on the disk in the last moment before a publication, or the first after one, is not lost',
  async (t) => {
    await published('hasty')
    // As long as what was published, and perhaps written in the same tick of the clock that stamps files.
    const byHand = readFileSync(at('hasty/SKILL.md'), 'utf8').replace('Write.', 'Wrote.')
    writeFileSync(at('hasty/SKILL.md'), byHand)
    const refused = await publish('hasty', expecting(1, 1))
    t.match([refused.status, refused.json], [409, { version: 2 }])

    await published('sudden')
    await save('sudden', expecting(1, 1))
    beforeCommit = () => {
      writeFileSync(at('sudden/SKILL.md'), 'By hand.')
      beforeCommit = () => {}
    }
    t.equal((await publish('sudden', expecting(1, 2))).status, 200)
    t.match(readFileSync(at('sudden/SKILL.md'), 'utf8'), /Writes notes/)
    const inTrash = readdirSync(join(home, 'trash/general/skills'))
    const [kept] = inTrash.filter((name) => name.startsWith('sudden-v1'))
    t.equal(readFileSync(join(home, 'trash/general/skills', kept!, 'SKILL.md'), 'utf8'), 'By hand.')
    t.notOk(
      inTrash.some((name) => name.startsWith('whole')),
      'an unedited version is not kept there',
    )

    await published('littered', { 'deep/more.md': 'More.' })
    await save('littered', expecting(1, 1))
    mkdirSync(at('littered/.git'))
    writeFileSync(at('littered/.git/config'), 'Mine.')
    t.equal((await publish('littered', expecting(1, 2))).status, 200)
    const [littered] = readdirSync(join(home, 'trash/general/skills')).filter((name) =>
      /^littered/.test(name),
    )
    const rest = readdirSync(join(home, 'trash/general/skills', littered!), { recursive: true })
    t.same(rest, ['.git', '.git/config'], 'only what is not of the skill is there')
  },
)

t.test(
  'a publication is refused if its folder vanishes or the permission is withdrawn at that moment',
  async (t) => {
    await save('late', { project: 'garden' }, owner.key)
    const publishLate = () => publish('late', { project: 'garden', ...expecting(0, 1) }, owner.key)
    const folder = join(home, 'projects/garden')
    const away = join(home, 'garden')
    beforeCommit = () => {
      if (existsSync(folder)) renameSync(folder, away)
    }
    const refused = await publishLate()
    beforeCommit = () => {}
    t.match([refused.status, refused.json.error], [503, /cannot be used/])
    t.notOk(existsSync(folder), 'nothing is made in its place')
    renameSync(away, folder)
    t.match((await publishLate()).json, { skill: { version: 1 } })

    const {
      stores: { projects, members },
      skills: { skills },
    } = workroom.workspace
    const { member } = await workroom.addMember({ name: 'Leaver', type: 'human' }, 'general')
    const caller = { member: members.find(member.id)!, keyId: '', scopes: new Set(['*'] as const) }
    const leaving = projects.leave(projects.find('general')!, caller.member)
    const files = { 'SKILL.md': sheet('left') }
    const saving = skills.save(caller, { project: 'general', name: 'left' }, { files, ...expecting(0, 0) })
    await t.rejects(saving, { code: 'forbidden' })
    await leaving
  },
)

t.test('a folder made by hand is a skill, whatever its SKILL.md lacks', async (t) => {
  mkdirSync(at('by-hand'), { recursive: true })
  mkdirSync(at('no-skill'))
  writeFileSync(at('by-hand/SKILL.md'), '# No frontmatter\n')
  writeFileSync(at('no-skill/README.md'), '# No skill\n')
  const { skills } = (await request('GET', tree)).json
  t.match(
    skills.filter(({ name }: { name: string }) => name === 'by-hand'),
    [{ description: '', version: 1, draftRevision: 0 }],
  )
  t.notOk(skills.some(({ name }: { name: string }) => name === 'no-skill'))
  t.match(await draft('by-hand'), { version: 1, draftRevision: 0, files: null })
  t.equal((await save('by-hand')).status, 409, 'the skill is not new')
  const none = await publish('by-hand', expecting(1, 0))
  t.match([none.status, none.json.error], [400, /no draft/])
})

t.test('an invalid skill is refused with a message', async (t) => {
  const files = (files: unknown) => ({ files })
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`${n}.md`, '']))
  const refusals: [name: string, body: object, words: RegExp][] = [
    ['Not Kebab', {}, /kebab case/],
    ['con', {}, /not a name that an operating system reserves/],
    ['x'.repeat(65), {}, /at most 64/],
    ['bad', { expectedVersion: undefined }, /field expectedVersion/],
    ['bad', expecting(-1, 0), /field expectedVersion/],
    ['bad', { expectedDraftRevision: '0' }, /field expectedDraftRevision/],
    ['bad', { project: undefined }, /field project/],
    ['bad', files(undefined), /field files/],
    ['bad', files(['a']), /field files/],
    ['bad', files({}), /at least one file/],
    ['bad', files(many), /at most 100 files/],
    ['bad', files({ 'a.md': 1 }), /must be a text/],
    ['bad', files({ 'a.md': 'a\0' }), /NUL/],
    ['bad', files({ 'a.md': '\ud800' }), /half of a character/],
    ['bad', files({ '../a.md': '' }), /begins with a dot/],
    ['bad', files({ '/a.md': '' }), /is empty/],
    ['bad', files({ 'a\\b.md': '' }), /has the character/],
    ['bad', files({ 'a/.git': '' }), /begins with a dot/],
    ['bad', files({ 'a.md~': '' }), /temporary file/],
    ['bad', files({ '1/2/3/4/5/6/7/8/9.md': '' }), /deeper than 8/],
    ['bad', files({ 'a.md': '', 'A.md': '' }), /some systems treat their names as equal/],
    ['bad', files({ 'a.md': '', 'a.md/b.md': '' }), /some systems treat their names as equal/],
    ['bad', files({ 'b/a.md': '', 'B/c.md': '' }), /some systems treat their names as equal/],
    ['bad', files({ [`${'long/'.repeat(7)}${'x'.repeat(370)}`]: '' }), /longer than/],
    ['bad', files({ 'SKILL.md': '# None\n' }), /begin with frontmatter/],
    ['bad', files({ 'SKILL.md': '---\n- list\n---\n' }), /key: value/],
    ['bad', files({ 'SKILL.md': '---\nname: [bad\n---\n' }), /not valid YAML/],
    ['bad', files({ 'SKILL.md': sheet('other') }), /write name: bad/],
    ['bad', files({ 'SKILL.md': '---\nname: bad\n---\n' }), /needs a description/],
    ['bad', files({ 'SKILL.md': sheet('bad', 'x'.repeat(1025)) }), /1025 characters/],
    ['bad', files({ 'SKILL.md': `---\n#${'x'.repeat(20_000)}\n---\n` }), /16 kB/],
  ]
  for (const [name, body, words] of refusals) {
    const { status, json } = await save(name, body)
    t.match([status, json.error], [400, words], JSON.stringify(body).slice(0, 80))
  }
  t.equal((await save('bad', files({ 'a.md': 'x'.repeat(1024 * 1024) }))).status, 413)
  t.equal((await save('without', files({ 'notes.md': 'Notes.' }))).status, 201)
  const without = await publish('without', expecting(0, 1))
  t.match([without.status, without.json.error], [400, /needs the file SKILL.md/])
  t.equal((await save('longest', files({ 'SKILL.md': sheet('longest', '😀'.repeat(1024)) }))).status, 201)
  t.equal((await request('GET', '/v1/skills')).status, 400)
})

t.test('members of a project can read, save and publish skills, with a key for the scope', async (t) => {
  await published('shared')
  const outsider = await workroom.addMember({ name: 'Out', type: 'human' })
  const scoped = async (scopes: string[]) =>
    (await workroom.workspace.stores.members.addKey(bot.member.id, { scopes: scopes as never })).key
  const reader = await scoped(['projects:read'])
  const writer = await scoped(['documents:write'])
  const reads = [tree, `${tree}/shared`, `${tree}/shared/SKILL.md`, '/v1/skills?project=general']
  for (const path of [...reads, '/v1/skills/general/shared']) {
    const statuses = await Promise.all(
      [outsider.key, writer, reader].map(async (key) => (await request('GET', path, { key })).status),
    )
    t.same(statuses, [403, 403, 200], path)
  }
  for (const [key, status] of [
    [outsider.key, 403],
    [reader, 403],
    [writer, 201],
  ] as const) {
    t.equal((await save('shared', expecting(1, 1), key)).status, status)
    t.equal((await publish('shared', expecting(1, 2), key)).status, status === 201 ? 200 : 403)
  }
  t.equal((await save('shared', { project: 'nowhere' })).status, 404)
  t.equal((await publish('nobody', expecting(0, 0))).status, 404)
  for (const path of ['nobody', encodeURIComponent('a:b'), '%20']) {
    t.equal((await request('GET', `${tree}/${path}`)).status, 404, path)
    t.equal((await request('GET', `/v1/skills/general/${path}`)).status, 404, path)
  }
})

t.test('in an archived project skills can be read and not written', async (t) => {
  const project = { project: 'garden' }
  t.equal((await save('roses', project, owner.key)).status, 201)
  await request('PATCH', '/v1/projects/garden', { body: { archived: true } })
  t.match((await save('roses', { ...project, ...expecting(0, 1) }, owner.key)).json, { error: /archived/ })
  t.equal((await publish('roses', { ...project, ...expecting(0, 1) }, owner.key)).status, 409)
  t.equal((await request('GET', '/v1/skills?project=garden')).status, 200)
})

t.test(
  'a publication and an edit on the disk are events for the project, and a refused publication is not',
  async (t) => {
    const since = (await request('GET', '/v1/events?since=0&wait=0')).headers['x-service-events-head']
    const eventsOf = async (key: string) =>
      (await request('GET', `/v1/events?since=${since}&wait=0`, { key })).json.events
    await published('heard')
    writeFileSync(at('heard/more.md'), 'More.\n')
    await request('GET', tree)
    const event = { type: 'skill.publish', name: 'heard', path: `${tree}/heard` }
    const events = await eventsOf(grace.key)
    t.match(events, [
      { ...event, version: 1, author: 'Bot', authorId: bot.member.id },
      { ...event, version: 2 },
    ])
    t.notOk('author' in events[1])
    const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })
    t.same(await eventsOf(stranger.key), [])

    await save('unplaced')
    writeFileSync(at('unplaced'), 'A file in the place of the folder.')
    t.equal((await publish('unplaced', expecting(0, 1))).status, 409)
    rmSync(at('unplaced'))
    t.equal((await eventsOf(grace.key)).length, 2)
  },
)

t.test('a skill that cannot be placed is not published, and can be published later', async (t) => {
  await save('blocked')
  writeFileSync(at('blocked'), 'A file in the place of the folder.')
  const refused = await publish('blocked', expecting(0, 1))
  t.match([refused.status, refused.json.error], [409, /could not be written/])
  rmSync(at('blocked'))
  t.match((await publish('blocked', expecting(0, 1))).json, { skill: { version: 1 } })
})

t.test(
  'a committed version is placed by the start after a crash, and a person’s files are kept',
  async (t) => {
    await published('crashed', { 'two.md': 'Two.\n' })
    await workroom.restart(() => {
      const database = new Sqlite(join(home, '.workroom/workroom.db'))
      database.prepare("UPDATE skills SET is_placed = 0 WHERE name IN ('crashed', 'notes')").run()
      database.close()
      rmSync(at('crashed/two.md'))
      writeFileSync(at('crashed/mine.md'), 'Mine.\n')
      mkdirSync(join(home, '.workroom/tmp/folder-left'), { recursive: true })
    })
    t.same(readdirSync(at('crashed')), ['SKILL.md', 'two.md'])
    const kept = readdirSync(join(home, 'trash/general/skills')).filter((name) => name.startsWith('crashed'))
    t.ok(existsSync(join(home, 'trash/general/skills', kept[0]!, 'mine.md')))
    t.notOk(existsSync(join(home, '.workroom/tmp/folder-left')))
    t.match(await draft('crashed'), { version: 1, draftRevision: 1 })
    t.match(await draft('notes'), { version: 1 }, 'a version in its place is left alone')
  },
)
