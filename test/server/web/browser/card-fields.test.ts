import { once } from 'node:events'
import t from 'tap'
import { openBoards } from '../../../support/board-pages.ts'

const { browser, workroom, grace, ada, phone, newBoard } = await openBoards(t)

t.test('changing a field on the page changes that field of the file and nothing else', async (t) => {
  const { pages, tree, card, numbersIn, fileOf } = await newBoard()
  const one = await card('01-triage', 'One')
  const fields = '# Why: see the room\npriority: low # for now\nlabels:\n  - tides\n'
  const two = await card('01-triage', 'Two', fields)
  const three = await card('02-todo', 'Three')
  await ada.goto(`${pages}/board/${two}`)
  const before = await fileOf('01-triage', two)
  // Somebody else writes to the card after the page has read it and before it writes.
  let isRaced = false
  browser.expectError(ada, /status of 409/)
  await ada.route(`**${tree}/board/**`, async (route) => {
    const isFirst = !isRaced && route.request().method() === 'PUT'
    isRaced ||= isFirst
    const body = before.replace('Text of Two.', 'Another text.')
    if (isFirst) await workroom.request('PUT', `${tree}/board/01-triage/${two}`, { key: grace.key, body })
    await route.continue()
  })
  await ada.getByLabel('Priority').selectOption('urgent')
  await ada.locator('#said').getByText('Saved.').waitFor()
  await ada.unrouteAll({ behavior: 'wait' })
  await ada.getByLabel('Labels').fill('late, or not')
  await ada.getByLabel('Labels').press('Enter')
  await ada.locator('.chips').getByText('late, or not').waitFor()
  await ada.getByLabel('Assignees').selectOption('Scout')
  await ada.getByRole('button', { name: 'Remove Scout' }).waitFor()
  await ada.getByLabel('Blocked by').fill(String(one))
  await ada.getByLabel('Blocked by').press('Enter')
  await ada.getByRole('button', { name: `Remove card ${one}` }).waitFor()
  await ada.getByRole('button', { name: 'Remove tides' }).click()
  await ada.getByRole('button', { name: 'Remove tides' }).waitFor({ state: 'detached' })
  const own = (text: string) => text.slice(text.indexOf('# Why'))
  t.equal(
    own(await fileOf('01-triage', two)),
    own(before)
      .replace('Text of Two.', 'Another text.')
      .replace('priority: low # for now', 'priority: urgent # for now')
      .replace(
        'labels:\n  - tides\n',
        `labels: ["late, or not"]\nassignees: [Scout]\nblocked-by: [${one}]\n`,
      ),
  )
  await ada.getByLabel('Column').selectOption('In progress')
  await ada.locator('.card-topline').getByText('In progress').waitFor()
  t.same(await numbersIn('03-in-progress'), [two])
  browser.expectError(ada, /status of 422/)
  await ada.getByLabel('Blocked by').fill('nothing')
  await ada.getByLabel('Blocked by').press('Enter')
  const problem = ada.getByRole('alert').getByText('Enter a card number.')
  await problem.waitFor()
  const changed = (await fileOf('03-in-progress', two)).replace('Another text.', 'A third text.')
  await workroom.request('PUT', `${tree}/board/03-in-progress/${two}`, { key: grace.key, body: changed })
  await ada.getByText('A third text.').waitFor()
  t.ok(await problem.isVisible(), 'the message stays when the page is updated')
  await ada.getByLabel('Blocked by').fill(String(three))
  await ada.getByLabel('Blocked by').press('Enter')
  await ada.getByRole('button', { name: `Remove card ${three}` }).waitFor()
  await problem.waitFor({ state: 'detached' })
})

t.test(
  'fields changed before the card’s script has loaded are saved once the script has loaded',
  async (t) => {
    const { pages, tree, card, fileOf } = await newBoard()
    const early = await card('02-todo', 'Early', 'priority: low\n')
    const changed = new AbortController()
    await ada.route(/card-\w+\.js$/, async (route) => {
      if (!changed.signal.aborted) await once(changed.signal, 'abort')
      await route.continue()
    })
    await ada.goto(`${pages}/board/${early}`, { waitUntil: 'load' })
    await ada.getByLabel('Priority').selectOption('high')
    await ada.getByLabel('Column').selectOption('In progress')
    await ada.getByLabel('Assignees').selectOption('Scout')
    await ada.getByLabel('Labels').pressSequentially('so')
    const body = (await fileOf('02-todo', early)).replace('Text of Early.', 'Meanwhile.')
    await workroom.request('PUT', `${tree}/board/02-todo/${early}`, { key: grace.key, body })
    await ada.getByText('Meanwhile.').waitFor()
    changed.abort()
    await ada.unrouteAll({ behavior: 'wait' })
    await ada.getByRole('button', { name: 'Remove Scout' }).waitFor()
    await ada.locator('.card-topline').getByText('In progress').waitFor()
    await ada.getByLabel('Labels').pressSequentially('on')
    await ada.getByLabel('Labels').blur()
    await ada.getByRole('button', { name: 'Remove soon' }).waitFor()
    t.match(
      await fileOf('03-in-progress', early),
      /priority: high\nassignees: \[Scout\]\nlabels: \[soon\]\n[\s\S]*Meanwhile\./,
    )

    // Otherwise a browser restores the fields as they were when the page was left.
    await ada.goto(`${pages}/board`)
    const lower = (await fileOf('03-in-progress', early)).replace('priority: high', 'priority: low')
    await workroom.request('PUT', `${tree}/board/03-in-progress/${early}`, { key: grace.key, body: lower })
    await ada.goBack()
    await ada.getByLabel('Status').selectOption('Draft')
    await ada.locator('#said').getByText('Saved.').waitFor()
    t.match(await fileOf('03-in-progress', early), /priority: low\n/)
  },
)

t.test('a field that cannot be saved returns to its former value, with the reason', async (t) => {
  const { pages, tree, card } = await newBoard()
  const kept = await card('02-todo', 'Kept', 'priority: low\n')
  await ada.goto(`${pages}/board/${kept}`)
  await ada.route(`**${tree}/board/**`, (route) =>
    route.request().method() === 'PUT' ? route.abort('connectionreset') : route.continue(),
  )
  browser.expectError(ada, /ERR_|failed/)
  await ada.getByLabel('Priority').selectOption('urgent')
  await ada.locator('#card-fields').getByRole('alert').getByText('The server cannot be reached').waitFor()
  await ada.locator('#card-fields:not([aria-busy])').waitFor()
  await ada.unrouteAll({ behavior: 'wait' })
  t.equal(await ada.getByLabel('Priority').inputValue(), 'low')
  t.equal(await ada.locator('#card-fields').getByRole('alert').count(), 1)
})

t.test('answering a question on its page closes it', async (t) => {
  const { pages, card, fileOf } = await newBoard()
  const question = await card('02-todo', 'Which unit?', 'kind: question\n')
  await phone.goto(`${pages}/board/${question}`)
  await phone.getByRole('textbox', { name: 'Answer it' }).fill('Metres')
  await phone.getByLabel('Column').selectOption({ label: 'In progress' })
  await phone.locator('.card-topline').getByText('In progress').waitFor()
  t.equal(
    await phone.getByRole('textbox', { name: 'Answer it' }).inputValue(),
    'Metres',
    'an answer begun stays',
  )
  await phone.getByRole('button', { name: 'Answer and close' }).click()
  await phone.locator('.answered').getByText('Metres').waitFor()
  t.match(await fileOf('04-done', question), /kind: question\nresolution: Metres\nstatus: closed\n/)
})
