import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { holdRequests } from '../../../support/intercepted-requests.ts'
import { overflowWidth } from '../../../support/page-structure.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'

const browser = await openBrowser(t)
const workroom = await openProjectFolder(t)
const grace = await workroom.addMember({ name: 'Grace Hopper', type: 'human' }, 'general')
const scout = await workroom.addMember({ name: 'Scout', type: 'agent' }, 'general')
const ada = await browser.openPageAs(workroom, workroom.owner)
const phone = await browser.openPageAs(workroom, grace, { window: 'phone', colorScheme: 'dark' })
const tree = '/v1/fs/projects/general'
const pages = '/projects/general'

t.test('the page’s policy allows diagrams', async (t) => {
  await workroom.put('Drawn', '```mermaid\ngraph TD\n  A --> B\n```\n')
  await ada.goto(`${pages}/docs/drawn`)
  await ada.getByRole('img', { name: 'Flowchart. Its source follows.' }).waitFor()
  t.ok(await ada.evaluate<boolean>('document.querySelector(".drawing img").naturalWidth > 50'))
})

t.test(
  'an ask is raised, claimed and resolved, a question is answered by a click, and others see each step live',
  async (t) => {
    await Promise.all([ada.goto(`${pages}/asks`), phone.goto(`${pages}/asks`)])
    await phone.getByText('New ask').click()
    await phone.getByLabel('Question: a person chooses an answer').check()
    await checkAccessibility(t, phone)
    t.ok((await overflowWidth(phone)) <= 0)

    await ada.getByText('New ask').click()
    await ada.getByLabel('Title').fill('Read the logs')
    await ada.getByLabel('Details').fill('Of Tuesday, @Grace Hopper')
    await ada.locator('#new-ask').getByLabel('Grace Hopper').check()
    await ada.getByRole('button', { name: 'Create ask' }).click()
    const item = (page: Page, title: string) => page.getByRole('article', { name: title })
    await item(phone, 'Read the logs').locator('.mention').getByText('@Grace Hopper').waitFor()
    await item(phone, 'Read the logs').getByRole('button', { name: 'Claim' }).click()
    await item(ada, 'Read the logs').getByText('claimed by Grace Hopper').waitFor()
    await item(phone, 'Read the logs').getByLabel('Result').fill('Nothing odd.')
    await item(phone, 'Read the logs').getByRole('button', { name: 'Resolve' }).click()
    await item(ada, 'Read the logs').getByText('Nothing odd.').waitFor()

    await ada.getByLabel('Title').fill('When shall we go?')
    await ada.getByLabel('Question: a person chooses an answer').check()
    await ada.getByLabel('Options').fill('Friday, early\nMonday')
    await ada.getByRole('button', { name: 'Create ask' }).click()
    await item(phone, 'When shall we go?').getByRole('button', { name: 'Friday, early' }).click()
    await phone.getByRole('dialog').getByRole('button', { name: 'Answer' }).click()
    await item(ada, 'When shall we go?').locator('.answered').getByText('Friday, early').waitFor()
    const { json } = await workroom.request('GET', '/api/asks?state=resolved', { key: scout.key })
    t.match(json.asks, [{ chosenOption: 'Friday, early' }, { resolution: 'Nothing odd.' }])
  },
)

t.test('an ask’s assignees follow others’ changes, and its list stays open', async (t) => {
  const { json } = await workroom.request('POST', '/api/asks', {
    key: grace.key,
    body: { project: 'general', title: 'Who goes?' },
  })
  const assign = (assignees: string[]) =>
    workroom.request('PUT', `/api/asks/${json.askId}/assignees`, { key: grace.key, body: { assignees } })
  await ada.goto(`${pages}/asks`)
  const item = ada.getByRole('article', { name: 'Who goes?' })
  await item.getByText('Assignees').click()
  await assign(['Scout'])
  await item.locator('.byline').getByText('Scout').waitFor()
  t.ok(await item.getByLabel('Scout').isChecked())
  t.ok(await item.getByLabel('Grace Hopper').isVisible(), 'the list stays open')
  await item.getByLabel('Grace Hopper').check()
  await assign([])
  await item.locator('.byline').getByText('Scout').waitFor({ state: 'detached' })
  t.same(
    [await item.getByLabel('Scout').isChecked(), await item.getByLabel('Grace Hopper').isChecked()],
    [true, true],
    'the reader’s own choice stays',
  )
})

t.test(
  'text half written when a session ends is restored after signing in, for its writer alone',
  async (t) => {
    const people = ['Linus', 'Mary'].map((name) => workroom.addMember({ name, type: 'human' }, 'general'))
    const [linus, mary] = [await people[0]!, await people[1]!]
    const draft = await workroom.request('PUT', `${tree}/drafts/news.md`, { body: '# News\n\nText.\n' })
    const post = (await workroom.request('POST', `${draft.json.path}/_publish`)).json
    await workroom.request('POST', `/v1/posts/${post.id}/comments`, { body: { body: 'First' } })
    const postPage = new URL(post.url).pathname
    const asking = await browser.openPageAs(workroom, linus)
    t.teardown(() => asking.context().close())
    const talking = await asking.context().newPage()
    await Promise.all([asking.goto(`${pages}/asks`), talking.goto(postPage)])
    await asking.getByText('New ask').click()
    await asking.getByLabel('Title').fill('Half an ask')
    await asking.getByLabel('Question: a person chooses an answer').check()
    await asking.getByLabel('Options').fill('Yes\nNo')
    await asking.locator('#new-ask').getByLabel('Scout').check()
    await talking.getByLabel('Your comment').fill('Half a comment')
    await talking.getByText('Reply to Ada').click()
    await talking.getByLabel('Your reply').fill('Half a reply')
    browser.expectError(asking, /status of 401/)
    await workroom.workspace.signin.sessions.endAll(linus.member)
    await Promise.all([asking.waitForURL(/signin/), talking.waitForURL(/signin/)])

    const signIn = async (key: string) => {
      await asking.getByLabel('Your key').fill(key)
      await asking.keyboard.press('Enter')
      await asking.waitForURL(`**${pages}/asks`)
    }
    await signIn(mary.key)
    await asking.getByText('New ask').click()
    t.equal(await asking.getByLabel('Title').inputValue(), '')
    // The page of a member who is deactivated leads to the sign-in page, too.
    const deactivated = await workroom.request('PATCH', `/api/members/${mary.member.id}`, {
      body: { status: 'deactivated' },
    })
    t.equal(deactivated.status, 200)
    await asking.waitForURL(/signin/)
    await signIn(linus.key)
    await asking.getByLabel('Options').waitFor()
    t.equal(await asking.getByLabel('Title').inputValue(), 'Half an ask')
    t.equal(await asking.getByLabel('Options').inputValue(), 'Yes\nNo')
    t.ok(await asking.locator('#new-ask').getByLabel('Scout').isChecked())
    await talking.goto(postPage)
    await talking.getByLabel('Your reply').waitFor()
    t.equal(await talking.getByLabel('Your comment').inputValue(), 'Half a comment')
    t.equal(await talking.getByLabel('Your reply').inputValue(), 'Half a reply')
    await talking.getByRole('button', { name: 'Comment', exact: true }).click()
    await talking.getByRole('article').getByText('Half a comment').waitFor()
    await talking.reload()
    await talking.getByRole('article').getByText('Half a comment').waitFor()
    t.equal(await talking.getByLabel('Your comment').inputValue(), '')
  },
)

t.test(
  'a goal typed before the page’s script has loaded is kept, and overwrites nobody’s goal unseen',
  async (t) => {
    const script = await holdRequests(ada, '*/plan-*.js')
    await ada.goto(`${pages}/plan`, { waitUntil: 'load' })
    await script.held
    await ada.getByText('Set the goal').click()
    const goal = ada.getByRole('textbox', { name: 'The goal' })
    await goal.fill('Mine')
    await script.release()
    await workroom.request('PUT', `${tree}/plan.md`, { key: grace.key, body: 'Theirs' })
    await ada.locator('#goal').getByText('Theirs').waitFor()
    t.equal(await goal.inputValue(), 'Mine')
    browser.expectError(ada, /status of 409/)
    await ada.getByRole('button', { name: 'Save' }).click()
    await ada.getByRole('alert').getByText('Someone else has changed the goal').waitFor()
    await ada.getByRole('button', { name: 'Save' }).click()
    await ada.locator('#goal').getByText('Mine').waitFor()
    t.match((await workroom.request('GET', `${tree}/plan.md`)).text, '## the goal\n\nMine\n')
  },
)
