import t from 'tap'
import { eventsOf } from '../../support/event-log.ts'
import { openProjectFolder } from '../../support/project-folder.ts'
import { gatedMarkdown } from '../../support/shared-markdown.ts'

t.test('cards found on the disk are in the order of their numbers, whichever was read first', async (t) => {
  const { markdown, open } = gatedMarkdown(({ bytes }) => Buffer.from(bytes).includes('Slow'))
  const workroom = await openProjectFolder(t, { faults: { markdown } })
  workroom.write('board/02-todo/0003-slow.md', '# Slow\n')
  workroom.write('board/02-todo/0012-last.md', '# Last\n')
  workroom.write('board/02-todo/0007-middle.md', '# Middle\n')
  const isRead = (name: string) =>
    eventsOf(workroom.home).some(({ detail }) => detail.path.endsWith(`/board/02-todo/${name}.md`))
  await workroom.eventually(() => isRead('0012-last') && isRead('0007-middle'))
  open()
  const { json } = await workroom.request('GET', '/v1/fs/projects/general/board/02-todo')
  t.same(
    json.cards.map(({ number }: { number: number }) => number),
    [3, 7, 12],
  )
})

for (const folder of ['board/02-todo', 'Board/02-Todo']) {
  t.test(`in ${folder}, cards in an order made by hand keep it when a card appears`, async (t) => {
    const workroom = await openProjectFolder(t)
    const column = '/v1/fs/projects/general/board/02-todo'
    const numbers = async () =>
      (await workroom.request('GET', column)).json.cards.map(({ number }: { number: number }) => number)
    for (const number of [2, 5, 9]) workroom.write(`${folder}/000${number}-a.md`, `# Card ${number}\n`)
    await workroom.scan()
    await workroom.request('POST', `${column}/9/_move`, { body: { toColumn: 'todo', before: 2 } })
    workroom.write(`${folder}/0003-late.md`, '# Late\n')
    await workroom.scan()
    t.same(await numbers(), [9, 2, 3, 5])
    await workroom.request('PUT', `${column}/new.md`, { body: '# New\n' })
    t.same(await numbers(), [9, 2, 3, 5, 10])
  })
}
