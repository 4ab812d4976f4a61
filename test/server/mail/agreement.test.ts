import t from 'tap'
import { mention } from '../../support/chat.ts'
import fc from '../../support/seeded-properties.ts'
import { minutes, openOffice } from './office.ts'

/** One step of a story: an action on one of the rooms, or on one of the messages so far. */
const step = fc.record({
  deed: fc.oneof(
    { weight: 8, arbitrary: fc.constant('say') },
    { weight: 4, arbitrary: fc.constant('edit') },
    { weight: 4, arbitrary: fc.constantFrom('delete', 'read', 'leave', 'rejoin') },
    { weight: 1, arbitrary: fc.constant('read all') },
  ),
  which: fc.nat(),
  mentions: fc.boolean(),
})

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

interface Said {
  id: string
  room: { id: string; isOpen: boolean }
  text: string
  mentions: boolean
  isDeleted: boolean
  record: 'none' | 'unread' | 'read'
}

t.test('badge, page and mail agree on what is unread, whatever happens to it', async (t) => {
  const office = await openOffice(t)
  const { call, grace, owner, request } = office
  let mailCount = 0

  const ids = (text: string) => [...text.matchAll(/msg_[0-9a-z]{26}/g)].map(([id]) => id).sort()

  const play = async (steps: Step[]) => {
    await call(grace, 'POST', '/inbox/read')
    const { _id: open } = await office.room(owner, { members: [grace.member.id] })
    const { _id: closed } = await office.room(owner, { type: 'closed', members: [grace.member.id] })
    const rooms = [
      { id: open, isOpen: true },
      { id: closed, isOpen: false },
    ]
    const isIn = new Map([
      [open, true],
      [closed, true],
    ])
    const all: Said[] = []
    const reaches = ({ id, isOpen }: Said['room']) => isOpen || isIn.get(id)!
    const isShown = ({ record, room }: Said) => record === 'unread' && reaches(room)
    const follow = (said: Said, mentions: boolean) => {
      if (mentions && !said.mentions && said.record === 'none' && reaches(said.room)) said.record = 'unread'
      if (!mentions && said.record === 'unread') said.record = 'none'
      said.mentions = mentions
    }

    for (const [count, { deed, which, mentions }] of steps.entries()) {
      const room = rooms[which % rooms.length]!
      const said = all[which % all.length]
      const text = `#${count}# ${mentions ? mention(grace) : ''}`
      if (deed === 'say') {
        const id = await office.post(owner, room.id, text)
        const added: Said = { id, room, text, mentions: false, isDeleted: false, record: 'none' }
        follow(added, mentions)
        all.push(added)
      } else if (deed === 'read all') {
        await call(grace, 'POST', '/inbox/read')
        for (const shown of all.filter(isShown)) shown.record = 'read'
      } else if (deed === 'leave') {
        await office.leave(grace, room.id)
        isIn.set(room.id, false)
      } else if (deed === 'rejoin') {
        await office.invite(owner, room.id, grace)
        isIn.set(room.id, true)
      } else if (said && deed === 'read') {
        await call(grace, 'POST', '/inbox/read', { ids: [said.id] })
        if (isShown(said)) said.record = 'read'
      } else if (said && deed === 'delete') {
        await office.remove(owner, said.room.id, said.id)
        said.isDeleted = true
        if (said.record === 'unread') said.record = 'none'
      } else if (said && deed === 'edit' && !said.isDeleted) {
        await office.edit(owner, said.room.id, said.id, text)
        said.text = text
        follow(said, mentions)
      }

      const expected = all.filter(isShown).map(({ id }) => id)
      const page = await office.inbox(grace)
      const { text: orientation } = await request('GET', '/v1/fs', { key: grace.key })
      const caller = office.workspace.stores.members.authenticate(grace.key)!
      const badge = Number(/## Unread mentions\n\n(\d+) in all/.exec(orientation)?.[1] ?? 0)
      const headline = Number(/^(\d+) unread mention/m.exec(page)?.[1] ?? 0)
      const listed = ids(page)
      const unread = office.workspace.inbox.mentions.unread(caller).map(({ id }) => id)
      const agree =
        badge === expected.length &&
        headline === expected.length &&
        [listed, unread].every((found) => [...found].sort().join() === [...expected].sort().join())
      if (!agree)
        throw new Error(`after ${deed}: ${JSON.stringify({ expected, badge, headline, listed, unread })}`)
    }

    const texts = all.filter(isShown).map((said) => said.text.slice(0, said.text.indexOf('# ') + 1))
    const mails = await office.after(2 * minutes)
    const mail = mails.splice(0)[0]
    const mailed = [...(mail?.text ?? '').matchAll(/^> (#\d+#)/gm)].map(([, tag]) => tag!)
    mailCount += mailed.length
    if (mailed.sort().join() !== texts.sort().join()) throw new Error(`mailed ${mailed}, unread ${texts}`)
  }

  const story = fc.array(step, { minLength: 5, maxLength: 25, size: 'max' })
  await t.resolves(fc.assert(fc.asyncProperty(story, play), { numRuns: 15, seed: 8, endOnFailure: true }))
  t.ok(mailCount > 15, 'the stories ended with mail')
})
