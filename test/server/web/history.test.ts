import t from 'tap'
import { openProjectFolder } from '../../support/project-folder.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'

const workroom = await openProjectFolder(t)
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const ada = await new ScriptlessBrowser(workroom).signIn(workroom.owner.key)
const minuteMs = 60_000

async function write(lines: number, key = workroom.owner.key) {
  const body = `# Minutes\n\n${Array.from({ length: lines }, (_, line) => `Line ${line}.\n`).join('\n')}`
  const { headers } = await workroom.request('PUT', '/v1/fs/projects/general/docs/minutes.md', { key, body })
  return String(headers['x-service-revision'])
}

t.test('the history has one row for each sitting of a writer, with links to its changes', async (t) => {
  const written: string[] = []
  for (const [pauseMinutes, key] of [
    [0, workroom.owner.key],
    [20, workroom.owner.key],
    [29, workroom.owner.key],
    [1, grace.key],
    [31, grace.key],
    [1, grace.key],
  ] as const) {
    workroom.clock.advance(pauseMinutes * minuteMs)
    written.push(await write(written.length + 1, key))
  }
  const [first, second, third, graces, later, last] = written
  const { text } = await ada.open('/projects/general/docs/minutes?history')
  const rows = text.match(/<li><div class="revision">[\s\S]*?<\/li>\n(?=<li><div|<\/ol>\n)/g)!
  t.equal(rows.length, 3)
  t.match(rows[0], `?diff=${graces}&to=${last}`, 'the row compares the whole sitting')
  t.match(rows[0], `?diff=${graces}&to=${later}`, 'the row compares each of its revisions')
  t.match(rows[0], /1 earlier revision by <bdi>Grace/)
  t.match(rows[1], `?diff=${third}&to=${graces}`)
  t.notMatch(rows[1], '<details')
  t.match(rows[2], /2 earlier revisions by <bdi>Ada/)
  t.match(rows[2], `?diff=${first}&to=${second}`)
  t.match(rows[2], `?diff=${first}&to=${third}`, 'the first sitting is compared with the first revision')
  t.match(text, '6 revisions, newest first')
  t.equal(text.match(/name="diff"[^>]* checked/g)?.length, 1)
  t.equal(text.match(/name="to"[^>]* checked/g)?.length, 1)
})
