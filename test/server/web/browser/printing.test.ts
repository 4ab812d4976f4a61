import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner, request } = chat
const { _id: room } = await chat.room(owner, { name: 'Quay' })
await chat.post(owner, room, 'Said on the quay')
const put = (path: string, body: string) =>
  request('PUT', `/v1/fs/projects/general/${path}`, { body, key: owner.key })
await put('docs/plan.md', '# The plan\n\nSee [the site](https://example.org/) first.\n')
await put('board/01-triage/x.md', '# Paint the crane\n')
const page = await browser.openPageAs(chat, owner)

for (const window of ['laptop', 'phone'] as const) {
  t.test(`on a ${window} a page prints without navigation, bars and controls`, async (t) => {
    await browser.resize(page, window)
    for (const [path, words] of [
      ['/projects/general/docs/the-plan', 'first.'],
      ['/projects/general/board', 'Paint the crane'],
      ['/rooms/quay', 'Said on the quay'],
    ] as const) {
      await page.goto(path)
      await page.getByText(words).first().waitFor()
      await page.emulateMedia({ media: 'print' })
      t.ok(await page.getByText(words).first().isVisible(), `${path} shows its text`)
      t.same(await page.getByRole('button').allInnerTexts(), [], `${path} shows no button`)
      t.equal(await page.getByRole('navigation').count(), 0, `${path} shows no navigation`)
      t.equal(await page.getByRole('textbox').count(), 0, `${path} shows no field`)
      await page.emulateMedia({ media: 'screen' })
    }
  })
}
