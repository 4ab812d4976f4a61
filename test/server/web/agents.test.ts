import t from 'tap'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

t.test('an agent’s owner sees its webhook on its page, with a checkbox for each event', async (t) => {
  const workroom = await startWorkroom(t)
  const grace = await workroom.addMember({ name: 'Grace', type: 'human' })
  const linus = await workroom.addMember({ name: 'Linus', type: 'human' })
  const bot = await workroom.addMember({ name: 'Bot', type: 'agent', ownerId: grace.member.id })
  const page = async (key: string) => {
    const browser = await new ScriptlessBrowser(workroom).signIn(key)
    return (await browser.open(`/members/${bot.member.id}`)).text
  }
  const hers = await page(grace.key)
  for (const [event, isOn] of [
    ['mention', true],
    ['message.created', true],
    ['reply', false],
    ['comment', false],
    ['assigned', false],
  ] as const) {
    const box = new RegExp(`name="events"[^>]*value="${event.replace('.', '\\.')}"( checked)?`).exec(hers)
    t.equal(box?.[1] !== undefined, isOn, event)
    t.ok(box, event)
  }
  t.notMatch(await page(linus.key), 'webhook-title')
})
