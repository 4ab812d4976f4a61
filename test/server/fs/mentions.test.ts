import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { renameMember } from '../../support/rename-member.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, home, workspace, clock } = workroom
const project = '/v1/fs/projects/general'
const path = `${project}/docs/text.md`

const ada = workroom.owner.member
const lovelace = (await workroom.addMember({ name: 'Ada Lovelace', type: 'human' }, 'general')).member
const bot = (await workroom.addMember({ name: 'Build-Bot', type: 'agent' }, 'general')).member

/** What is stored for a text, without its heading. */
async function stored(text: string): Promise<string> {
  const { status } = await request('PUT', path, { body: `# Text\n\n${text}\n` })
  if (status !== 201) throw new Error(`It was answered ${status}`)
  return onDisk().slice('# Text\n\n'.length, -1)
}
const onDisk = () => readFileSync(join(home, 'projects/general/documents/text.md'), 'utf8')
const read = async () => (await request('GET', path)).text
const shown = async () => (await read()).replace(/^---\n[\s\S]*?\n---\n# Text\n\n/, '').slice(0, -1)
const listed = async () => JSON.parse(/^mentions: (.*)$/m.exec(await read())?.[1] ?? '[]')

const canonical = ({ id, name }: { id: string; name: string }) => `@[${name}](${id})`

t.test('a bare name is stored as a canonical mention, and is shown as a bare name', async (t) => {
  t.equal(await stored('Ask @Ada, then (@Build-Bot).'), `Ask ${canonical(ada)}, then (${canonical(bot)}).`)
  t.equal(await shown(), 'Ask @Ada, then (@Build-Bot).')
  t.strictSame(await listed(), ['Ada', 'Build-Bot'])
})

t.test('reading and writing back keeps the mentions and changes nothing', async (t) => {
  await stored('@Ada @Ada Lovelace @Build-Bot')
  const before = onDisk()
  t.equal((await request('PUT', path, { body: await read() })).json.changed, false)
  await request('PUT', path, { body: `${await read()}\nMore.\n` })
  t.equal(onDisk(), `${before}\nMore.\n`)
})

t.test('the longest matching name is mentioned', async (t) => {
  t.equal(
    await stored('@Ada Lovelace and @Ada Lov and @Ada Lovelaces'),
    `${canonical(lovelace)} and ${canonical(ada)} Lov and ${canonical(ada)} Lovelaces`,
  )
})

t.test('case and spelling must match, and a name ends at the end of a word', async (t) => {
  for (const text of [
    '@ada',
    '@ADA',
    '@Adam',
    '@Ada2',
    '@Adä',
    'x@Ada',
    '9@Ada',
    'mail ada@Ada',
    '@ Ada',
    '@Nobody',
    '\\@Ada',
  ])
    t.equal(await stored(text), text)
  t.strictSame(await listed(), [])
})

t.test('a canonical mention is left alone, whatever name it shows', async (t) => {
  const text = `${canonical(ada)} @[Old name](${bot.id})`
  t.equal(await stored(text), text)
  t.equal(await shown(), '@Ada @Build-Bot', 'a read shows the current name')
})

t.test('code, links, addresses and HTML mention nobody', async (t) => {
  const text = [
    '`@Ada`',
    '```\n@Ada\n```',
    '    @Ada',
    '[@Ada](https://x.org)',
    'https://x.org/@Ada',
    'x.org/@Ada',
    '<b title="@Ada">',
    '<!-- @Ada -->',
    '[a]: https://x.org/@Ada',
  ].join('\n\n')
  t.equal(await stored(text), text)
  t.strictSame(await listed(), [])
})

t.test('headings, lists, tables, quotes and emphasis can contain mentions', async (t) => {
  const text = '## For @Ada\n\n- @Ada\n\n> @Ada\n\n**@Ada** _@Ada_\n\n| who |\n| - |\n| @Ada |'
  t.equal(await stored(text), text.replaceAll('@Ada', canonical(ada)))
  t.strictSame(await listed(), ['Ada'], 'once in the list')
})

t.test('a title with a mention shows the name, also in the file name', async (t) => {
  const { json } = await request('PUT', `${project}/docs/title.md`, { body: '# Notes for @Ada\n' })
  t.equal(json.filename, 'notes-for-ada.md')
  const { documents } = (await request('GET', `${project}/docs`)).json
  t.equal(documents.find(({ id }: { id: string }) => id === json.id).title, 'Notes for @Ada')
})

t.test('the mentions field lists names in order and without repetition', async (t) => {
  await stored('@Build-Bot, @Ada, @Build-Bot, @Ada Lovelace')
  t.strictSame(await listed(), ['Build-Bot', 'Ada', 'Ada Lovelace'])
})

t.test('broadcasts are stored in canonical form, and are read and written back by their names', async (t) => {
  const text = '@[here](__here__) @[channel](__channel__) @[everyone](__everyone__)'
  t.equal(await stored(text), text)
  t.equal(await shown(), '@here @channel @everyone')
  const back = await read()
  t.equal((await request('PUT', path, { body: back })).json.changed, false)
  await request('PUT', path, { body: `${back}\nMore.\n` })
  t.match(onDisk(), text)
})

t.test('a bare @here that was never a broadcast stays text', async (t) => {
  await request('DELETE', path)
  t.equal(await stored('@here and @everyone'), '@here and @everyone')
})

t.test('a mention of a former member is shown with the name in the file, and stays a mention', async (t) => {
  const carol = (await workroom.addMember({ name: 'Carol', type: 'human' }, 'general')).member
  await stored('Ask @Carol.')
  await workspace.stores.members.setStatus(carol.id, 'deactivated')
  t.equal(await shown(), 'Ask @Carol.')
  t.strictSame(await listed(), ['Carol'])
  await request('PUT', path, { body: `${await read()}\nMore.\n` })
  t.equal(onDisk(), `# Text\n\nAsk ${canonical(carol)}.\n\nMore.\n`)
  await request('PUT', `${project}/docs/fresh.md`, { body: '# Fresh\n\nAsk @Carol.\n' })
  t.match((await request('GET', `${project}/docs/fresh.md`)).text, /Ask @Carol\.\n$/)
  t.notMatch((await request('GET', `${project}/docs/fresh.md`)).text, /^mentions:/m)
})

t.test('among members with the same name, a file keeps the one that it already mentions', async (t) => {
  const first = (await workroom.addMember({ name: 'Dora', type: 'human' }, 'general')).member
  await stored('Ask @Dora.')
  await workspace.stores.members.setStatus(first.id, 'deactivated')
  clock.advance(1000)
  const second = (await workroom.addMember({ name: 'Dora', type: 'human' }, 'general')).member
  await request('PUT', path, { body: `${await read()}\nAnd @Dora.\n` })
  t.equal(onDisk(), `# Text\n\nAsk ${canonical(first)}.\n\nAnd ${canonical(first)}.\n`)
  await request('PUT', `${project}/docs/other.md`, { body: '# Other\n\n@Dora\n' })
  t.match(
    readFileSync(join(home, 'projects/general/documents/other.md'), 'utf8'),
    canonical(second),
    'elsewhere the active one is mentioned',
  )
})

t.test('a file that was read before a member was renamed can be written back with its mention', async (t) => {
  const erin = (await workroom.addMember({ name: 'Erin', type: 'human' }, 'general')).member
  await stored('Ask @Erin.')
  const before = await read()
  await renameMember(home, erin.id, 'Erin Smith')
  t.equal(await shown(), 'Ask @Erin Smith.')
  await request('PUT', path, { body: `${before}\nMore.\n` })
  t.equal(onDisk(), `# Text\n\nAsk @[Erin](${erin.id}).\n\nMore.\n`)
  t.equal((await request('PUT', path, { body: await read() })).json.changed, false)
})

t.test('drafts, posts and cards store and show mentions as documents do', async (t) => {
  for (const [folder, file] of [
    ['drafts', 'drafts/ada'],
    ['posts', 'posts'],
    ['board/02-todo', 'board/02-todo'],
  ] as const) {
    const { json } = await request('PUT', `${project}/${folder}/m.md`, { body: '# M\n\n@Ada Lovelace!\n' })
    t.equal(
      readFileSync(join(home, 'projects/general', file, json.filename), 'utf8'),
      `# M\n\n${canonical(lovelace)}!\n`,
    )
    t.match((await request('GET', json.path)).text, /^mentions: \["Ada Lovelace"\]$[\s\S]*@Ada Lovelace!\n$/m)
  }
})
