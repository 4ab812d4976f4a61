import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeRepository } from './code-repository.ts'
import type { SampleActions } from './sample-actions.ts'
import { sampleBytes, sampleCards, sampleText } from './sample-files.ts'
import { sampleForge } from './sample-network.ts'
import type { SampleIds, SampleTeam } from './sample-workspace.ts'
import { uploadForm } from './upload-form.ts'
import type { Workroom } from './workroom.ts'

const tree = '/v1/fs/projects/harbour'

/** Fills every folder of the project `harbour`. @param code the path of its new code repository */
export async function fillProject(
  workroom: Workroom,
  actions: SampleActions,
  people: SampleTeam,
  code: string,
): Promise<Omit<SampleIds, 'release' | 'founders' | 'direct' | 'lunch' | 'thread'>> {
  const { ada } = people
  const { send } = actions
  writeFileSync(join(workroom.home, 'projects/harbour/README.md'), sampleText('README.md'))
  await workroom.workspace.maintenance.scan()
  await send(
    ada,
    'PUT',
    `${tree}/plan.md`,
    '# Plan\n\n## the goal\n\nEvery ship knows its berth **an hour** before it comes.\n',
  )
  await send(ada, 'PUT', `${tree}/links.md`, linksText)
  await addLibrary(people, actions)
  giveTimes(join(workroom.home, 'projects/harbour/files'), workroom.clock.now())
  await addBoard(people, actions)
  const documents = await addDocuments(people, actions)
  const posts = await addPosts(people, actions)
  const asks = await addAsks(people, actions)
  await addCode(people, actions, code)
  await addSkills(people, actions)
  await send(ada, 'POST', '/v1/projects', { name: 'Old website' })
  await send(ada, 'PATCH', '/v1/projects/old-website', { archived: true })
  await send(people.mira, 'POST', '/v1/projects', { name: 'Lighthouse' })
  return { ...documents, ...posts, ...asks }
}

const linksText = `- [Tide rules](https://tides.example/rules): why the tide decides
- [Office of hydrography](https://hydrography.example/): who makes the table
- [Status](https://status.example/)
`

async function addLibrary({ ada, linus }: SampleTeam, { send }: SampleActions): Promise<void> {
  const upload = async (actor: typeof ada, name: string, bytes: Uint8Array) =>
    send(actor, 'POST', `${tree}/library/files`, undefined, await uploadForm(['file', bytes, name]))
  await upload(ada, 'map.png', sampleBytes('files/map.png'))
  await upload(linus, 'berths.csv', sampleBytes('files/berths.csv'))
  await upload(
    linus,
    'A name that is rather long, with spaces and umlauts äöü, final version (2).txt',
    Buffer.from('Text.\n'),
  )
}

/** Gives uploaded files the sample's time instead of the disk's. */
function giveTimes(folder: string, timeMs: number): void {
  const time = timeMs / 1000
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), time, time)
}

async function addBoard(
  { ada, grace, linus, mira }: SampleTeam,
  { writeDocument }: SampleActions,
): Promise<void> {
  const actors = [ada, grace, linus, mira]
  for (const [index, { column, text }] of sampleCards().entries()) {
    await writeDocument(actors[index % 4]!, `board/${column}/new.md`, text)
  }
}

async function addDocuments(
  { ada, grace, linus, mira }: SampleTeam,
  { send, writeDocument }: SampleActions,
): Promise<Pick<SampleIds, 'document' | 'oldRevision'>> {
  await writeDocument(linus, 'docs/architecture.md', sampleText('documents/architecture.md'))
  await writeDocument(mira, 'docs/glossary.md', sampleText('documents/glossary.md'))
  await writeDocument(
    linus,
    'docs/guides/set-up-your-machine.md',
    sampleText('documents/guides/set-up-your-machine.md'),
  )
  await writeDocument(grace, 'docs/old-handbook.md', '# Old handbook\n\nNot true any more.\n')
  await send(grace, 'DELETE', `${tree}/docs/old-handbook.md`)
  const onboarding = sampleText('documents/onboarding.md')
  await writeDocument(ada, 'docs/onboarding.md', onboarding.split('## How we write code')[0]!)
  await writeDocument(
    linus,
    'docs/onboarding.md',
    onboarding.replace('### A wide table', '### Opening hours'),
  )
  const { id, path } = await writeDocument(grace, 'docs/onboarding.md', onboarding)
  const { blocks } = await send(ada, 'GET', `${path}?view=blocks`)
  for (const [author, start, body] of [
    [linus, 'Welcome to', 'Is the *coffee* still there?'],
    [mira, '1. Read the code', 'Where does one begin to read?'],
  ] as const) {
    const { id: block } = blocks.find(({ text }: { text: string }) => text.startsWith(start))
    await send(author, 'POST', `/v1/documents/${id}/comments`, { body, block })
  }
  const { revisions } = await send(ada, 'GET', `${path}/_revisions`)
  return { document: id, oldRevision: revisions[1].revision }
}

async function addPosts(
  { ada, grace, linus, mira, scout }: SampleTeam,
  { send, advanceMinutes, writeDocument }: SampleActions,
): Promise<Pick<SampleIds, 'post' | 'postPath'>> {
  await writeDocument(
    grace,
    'posts/what-happened.md',
    sampleText('posts/2026-06-16-what-happened-on-tuesday-night.md'),
  )
  advanceMinutes(90)
  const { path } = await writeDocument(
    ada,
    'drafts/release-notes.md',
    sampleText('posts/2026-06-17-release-2-4-is-out.md'),
  )
  const attach = async (name: string, content: string | Uint8Array) =>
    send(ada, 'POST', `${path}/attachments`, undefined, await uploadForm(['file', content, name]))
  await attach('berths.png', sampleBytes('files/map.png'))
  await attach('ships.csv', 'ship,berth\nAnna,North 2\n')
  const published = await send(ada, 'POST', `${path}/_publish`)
  const comments = `/v1/posts/${published.id}/comments`
  advanceMinutes(5)
  const first = await send(linus, 'POST', comments, { body: 'Thank *you*! `2.4.1` follows on Friday.' })
  await send(ada, 'POST', comments, { body: 'Looking forward to it.', parentId: first.comment._id })
  advanceMinutes(5)
  await send(scout, 'POST', comments, { body: 'No errors since the release.' })
  await send(mira, 'POST', comments, {
    body: `@[${ada.member.name}](${ada.member.id}) the map looks lovely.`,
  })
  await send(ada, 'POST', `/v1/posts/${published.id}/pin`)
  await writeDocument(ada, 'drafts/next.md', '# What comes next\n\nThe new pier, perhaps.\n')
  await writeDocument(
    ada,
    'drafts/friday.md',
    '---\nscheduledFor: 2026-06-19T09:00:00Z\n---\n\n# Friday demo\n\nAt ten.\n',
  )
  return { post: published.id, postPath: new URL(published.url).pathname }
}

async function addAsks(
  { ada, grace, linus, mira, scout }: SampleTeam,
  { send, advanceMinutes }: SampleActions,
): Promise<Pick<SampleIds, 'openQuestion' | 'openWork'>> {
  const ask = async (actor: typeof ada, title: string, fields: object = {}): Promise<string> => {
    advanceMinutes(3)
    return (await send(actor, 'POST', '/api/asks', { project: 'harbour', title, ...fields })).askId
  }
  const question = { kind: 'question', options: ['Friday', 'Monday', 'Not before the audit'] }
  const openQuestion = await ask(scout, 'When shall 2.4.1 go out?', {
    ...question,
    body: 'Friday is **risky**.',
  })
  const answered = await ask(scout, 'Which tide table?', { kind: 'question', options: ['Office', 'Our own'] })
  await send(grace, 'POST', `/api/asks/${answered}/resolve`, { chosenOption: 'Office' })
  const openWork = await ask(ada, 'Look at the map on an old phone', { assignees: [mira.member.id] })
  const claimed = await ask(grace, 'Read the logs of Tuesday night')
  await send(scout, 'POST', `/api/asks/${claimed}/claim`)
  const resolved = await ask(linus, 'Renew the certificate')
  await send(linus, 'POST', `/api/asks/${resolved}/claim`)
  await send(linus, 'POST', `/api/asks/${resolved}/resolve`, { resolution: 'Good until June 2027.' })
  const cancelled = await ask(mira, 'Paint it blue')
  await send(mira, 'POST', `/api/asks/${cancelled}/cancel`)
  return { openQuestion, openWork }
}

async function addCode({ ada }: SampleTeam, { send }: SampleActions, path: string): Promise<void> {
  makeRepository(path, {
    'README.md': '# Harbour\n\nReads the tide table once a day.\n',
    'src/tides.ts': "import { fetchTable } from './table.ts'\n\nexport const tideAt = (time: number) => 0\n",
    'src/berths/north.ts': 'export const north = []\n',
    'logo.png': sampleBytes('files/map.png'),
    'page.html':
      '<!doctype html>\n<script>globalThis.hacked = 1</script>\n<img src=x onerror="globalThis.hacked = 1">\n',
  })
  await send(ada, 'POST', '/v1/projects/harbour/repositories', {
    dir: 'app',
    source: path,
    forge: sampleForge,
  })
}

async function addSkills({ linus }: SampleTeam, { send }: SampleActions): Promise<void> {
  const skill = async (name: string, description: string) => {
    const sheet = `---\nname: ${name}\ndescription: ${description}\n---\n\n# How\n\n1. Read.\n2. \`run.sh\`\n`
    const files = { 'SKILL.md': sheet, 'scripts/run.sh': '#!/bin/sh\necho done\n' }
    const expected = (draft: number) => ({ expectedVersion: 0, expectedDraftRevision: draft })
    await send(linus, 'POST', '/v1/skills', { project: 'harbour', name, files, ...expected(0) })
    return () => send(linus, 'POST', '/v1/skills/publish', { project: 'harbour', name, ...expected(1) })
  }
  await (await skill('release-notes', 'Writes the release notes from the cards that are done.'))()
  await (await skill('read-logs', 'Finds what is odd in the logs of a night.'))()
  await skill('draft-only', 'Is not published yet.')
}
