import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner } = chat
const grace = await chat.person('Grace', 'general')
const { _id: room } = await chat.room(owner, { name: 'Quay', members: [grace.member.id] })

for (const window of ['laptop', 'phone'] as const) {
  t.test(`on a ${window} a message is pinned from its menu and listed in the room’s pins`, async (t) => {
    const words = `Berth for the ${window}`
    const id = await chat.post(owner, room, words)
    const page = await browser.openPageAs(chat, grace, { window })
    await page.goto('/rooms/quay')
    const message = page.getByRole('article').filter({ hasText: words })
    await message.hover()
    await message.getByLabel('Actions for the message by Ada').click()
    await message.getByRole('button', { name: 'Pin', exact: true }).click()
    await message.getByText('pinned', { exact: true }).waitFor()
    await page.getByRole('link', { name: '1 pinned' }).click()
    await page.getByRole('heading', { name: 'Pinned messages' }).waitFor()
    const pin = page.getByRole('article').filter({ hasText: words })
    await pin.getByText('Pinned by Grace').waitFor()
    await pin.locator('.at').click()
    await page.waitForURL((url) => url.hash === `#${id}`)
    await page.goBack()
    await pin.getByRole('button', { name: 'Unpin the message by Ada' }).click()
    await page.getByText('No pinned messages.').waitFor()
    await chat.call(owner, 'PUT', `/rooms/${room}/pins/${id}`)
    await pin.getByText('Pinned by Ada').waitFor()
    t.equal(await page.locator('.pins li').count(), 1, 'another member’s pin is shown at once')
    await chat.call(owner, 'DELETE', `/rooms/${room}/pins/${id}`)
  })
}
