import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openChat } from '../../../support/chat.ts'
import { messagesWith, waitForRoom } from '../../../support/room-pages.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner } = chat
const grace = await chat.person('Grace', 'general')
const slug = 'quay'
const { _id: room } = await chat.room(owner, { name: 'Quay', members: [grace.member.id] })
const pages = {
  laptop: await browser.openPageAs(chat, grace),
  phone: await browser.openPageAs(chat, grace, { window: 'phone' }),
}

const chip = (page: Page, words: string, name: string | RegExp) =>
  messagesWith(page, words).getByRole('list', { name: 'Reactions' }).getByRole('button', { name })

for (const [window, page] of Object.entries(pages)) {
  t.test(`on a ${window} a reaction is added from the menu and removed by its chip`, async (t) => {
    const words = `Ready on the ${window}`
    const id = await chat.post(owner, room, words)
    await page.goto(`/rooms/${slug}`)
    await messagesWith(page, words).hover()
    await messagesWith(page, words).getByLabel('Actions for the message by Ada').click()
    await messagesWith(page, words).getByRole('button', { name: 'React with 🎉' }).click()
    const own = chip(page, words, '1 person reacted with 🎉: Grace')
    await own.waitFor()
    t.equal(await own.getAttribute('aria-pressed'), 'true')
    if (window === 'phone') {
      const { width, height } = (await own.boundingBox())!
      t.ok(width >= 44 && height >= 44, `a target of ${width} by ${height}`)
    }
    const path = `/rooms/${room}/messages/${id}/reactions/${encodeURIComponent('🎉')}`
    await chat.call(owner, 'PUT', path)
    await chip(page, words, '2 people reacted with 🎉: Grace, Ada').click()
    const others = chip(page, words, /^1 person reacted with 🎉: Ada/)
    await others.waitFor()
    t.equal(await others.getAttribute('aria-pressed'), 'false')
    await others.focus()
    await page.keyboard.press('Enter')
    await chip(page, words, /^2 people/).waitFor()
  })

  t.test(`on a ${window} any emoji is found by its name`, async () => {
    const words = `Off we sail on the ${window}`
    await chat.post(owner, room, words)
    await page.goto(`/rooms/${slug}`)
    await waitForRoom(page)
    await messagesWith(page, words).hover()
    await messagesWith(page, words).getByLabel('Actions for the message by Ada').click()
    await page.getByRole('button', { name: 'Other reaction' }).click()
    await page.getByLabel('Search emoji by name').fill('sailboat')
    await page.getByRole('dialog', { name: 'React' }).getByRole('button', { name: ':sailboat:' }).click()
    await chip(page, words, '1 person reacted with ⛵: Grace').waitFor()
  })
}

t.test('without script, a reaction can be added and removed', async () => {
  const page = await browser.openPageAs(chat, grace, { javaScriptEnabled: false })
  await chat.post(owner, room, 'Plain page')
  await page.goto(`/rooms/${slug}`)
  await messagesWith(page, 'Plain page').getByLabel('Actions for the message by Ada').click()
  await messagesWith(page, 'Plain page').getByRole('button', { name: 'React with 👍' }).click()
  await chip(page, 'Plain page', /^1 person/).click()
  await chip(page, 'Plain page', /^1 person/).waitFor({ state: 'detached' })
})
