import t from 'tap'
import { sampleActions } from '../../support/sample-actions.ts'
import { openSample } from '../../support/sample-workspace.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'

const sample = await openSample(t)
const { ada, mira } = sample.people
const { send, writeDocument } = sampleActions(sample)
const asMira = await new ScriptlessBrowser(sample).signIn(mira.key)

/** The titles in one section of the home page. */
function listed(text: string, id: string): string[] {
  const section = new RegExp(`<section aria-labelledby="${id}">[\\s\\S]*?</section>`).exec(text)?.[0] ?? ''
  return [...section.matchAll(/<a href="[^"]+"><bdi>(.*?)<\/bdi>/g)].map(([, title]) => title!)
}

t.test('the home page shows texts without markup, with the titles of what they link to', async (t) => {
  const title = 'Answer **[[c:5]]** by [the plan](/plan)'
  await send(ada, 'POST', '/api/asks', { project: 'harbour', title, assignees: [mira.member.id] })
  const mention = `@[Mira Okafor](${mira.member.id})`
  const body = `${mention} see [chart.png](/v1/fs/projects/harbour/library/files/chart.png), [[c:7|the unit]] and [[The tides]]`
  await writeDocument(ada, 'drafts/tides.md', '# About [[c:5]]\n\nTides.\n')
  await send(ada, 'POST', '/v1/fs/projects/harbour/drafts/about-c-5.md/_publish')
  await send(ada, 'POST', '/api/rooms/general/messages', { body })
  for (const page of ['/', '/inbox']) {
    const { text } = await asMira.open(page)
    t.match(text, '<bdi>@Mira Okafor see chart.png, the unit and The tides</bdi>', 'a room without a project')
    t.notMatch(text, '](/v1/fs', page)
  }
  const { text } = await asMira.open('/')
  t.match(text, '<bdi>Answer Free berths on the map by the plan</bdi>')
  t.match(text, '<bdi>About Free berths on the map</bdi>')
})

t.test('the home page asks for answers to others’ questions, not to the reader’s own', async (t) => {
  const options = ['Red', 'White']
  for (const [asker, title] of [
    [mira, 'Which rope?'],
    [ada, 'Which lamp?'],
  ] as const)
    await send(asker, 'POST', '/api/asks', { project: 'harbour', title, options })
  const { text } = await asMira.open('/')
  const questions = listed(text, 'asks').filter((title) => title.startsWith('Which'))
  t.strictSame(questions, ['Which lamp?'])
})

t.test('search results show the text of a message without its markup', async (t) => {
  const body = 'the **walrus** is in [walrus.png](/v1/fs/projects/harbour/library/files/walrus.png)'
  await send(ada, 'POST', '/api/rooms/general/messages', { body })
  const { text } = await asMira.open('/search?q=walrus')
  t.match(text.replace(/<\/?mark>/g, ''), 'the walrus is in walrus.png')
  t.notMatch(text, '](/v1/fs')
})

t.test('folders are sorted by the numbers in their names', async (t) => {
  for (const number of [10, 2, 1])
    await writeDocument(ada, `docs/f${number}/note-${number}.md`, `# Note ${number}\n`)
  const { text } = await asMira.open('/projects/harbour/docs')
  const folders = [...text.matchAll(/<summary><bdi>(f\d+)<\/bdi>/g)].map(([, name]) => name)
  t.strictSame(folders, ['f1', 'f2', 'f10'])
})

t.test('the home page lists my cards that are overdue or due within a week', async (t) => {
  const day = (days: number) => new Date(sample.clock.now() + days * 86_400_000).toISOString().slice(0, 10)
  const card = (name: string, due: number, fields = 'assignees: [Mira Okafor]') =>
    writeDocument(ada, `board/02-todo/${name}.md`, `---\ndue: ${day(due)}\n${fields}\n---\n# ${name}\n`)
  await card('Mend the crane', -1)
  await card('Paint the mast', 0)
  await card('Count the ropes', 7)
  await card('Next year', 8)
  await card('Of somebody else', 1, 'assignees: [Linus Berg]')
  await card('Of nobody', 1, 'priority: low')
  await card('Closed', 1, 'assignees: [Mira Okafor]\nstatus: closed')
  const { path } = await card('Put away', 1)
  await send(ada, 'POST', `${path}/_move`, { toColumn: '04-done' })
  const { text } = await asMira.open('/')
  t.strictSame(listed(text, 'overdue'), ['Mend the crane'])
  t.strictSame(
    listed(text, 'due').filter((title) => /^(?:Paint|Count|Next|Of|Closed|Put)/.test(title!)),
    ['Paint the mast', 'Count the ropes'],
  )
})

t.test('whether a card is overdue depends on the reader’s time zone', async (t) => {
  const dayMs = 86_400_000
  const day = (days: number) => new Date(sample.clock.now() + days * dayMs).toISOString().slice(0, 10)
  const [yesterday, today] = [day(0), day(1)]
  for (const [name, due] of [
    ['Berth of yesterday', yesterday],
    ['Berth of today', today],
  ])
    await writeDocument(
      ada,
      `board/02-todo/${name}.md`,
      `---\ndue: ${due}\nassignees: [Mira Okafor]\n---\n# ${name}\n`,
    )
  const berths = async (timeZone: string) => {
    const { text } = await asMira.open('/', {
      Cookie: `${asMira.cookie}; timezone=${encodeURIComponent(timeZone)}`,
    })
    const shown = (id: string) => listed(text, id).filter((title) => title.startsWith('Berth of'))
    return { overdue: shown('overdue'), due: shown('due') }
  }
  // In Honolulu it is still yesterday.
  sample.clock.set(Date.parse(`${today}T09:00:00Z`))
  t.strictSame(await berths('Pacific/Honolulu'), {
    overdue: [],
    due: ['Berth of yesterday', 'Berth of today'],
  })
  t.strictSame(await berths('UTC'), { overdue: ['Berth of yesterday'], due: ['Berth of today'] })
  // In Kiritimati it is tomorrow already.
  sample.clock.set(Date.parse(`${today}T11:00:00Z`))
  t.strictSame(await berths('Pacific/Kiritimati'), {
    overdue: ['Berth of yesterday', 'Berth of today'],
    due: [],
  })
})
