import t, { type Test } from 'tap'
import { TypingSignals } from '../../../core/rooms/typing.ts'
import { TestClock } from '../../support/test-clock.ts'
import { freshRooms } from './open-rooms.ts'

async function openTyping(t: Test) {
  const opened = await freshRooms(t)
  const bot = await opened.join('Bot', 'agent')
  const room = await opened.makeRoom({}, bot)
  const { ada, clock, service, typing } = opened
  return {
    ...opened,
    bot,
    room,
    start: (ttlSeconds: number) => typing.start(bot, room, ttlSeconds),
    shown: () => service.get(ada, room).typing.map(({ name, until }) => [name, until - clock.nowMs]),
  }
}

t.test('a typing signal lasts as long as it says, and another one restarts it', async (t) => {
  const { clock, shown, start } = await openTyping(t)
  t.same(start(30), { typing: true, until: clock.nowMs + 30_000 })
  clock.nowMs += 29_999
  t.same(shown(), [['Bot', 1]])
  start(5)
  t.same(shown(), [['Bot', 5000]])
  clock.nowMs += 5000
  t.same(shown(), [])
})

t.test('a typing signal ends with the message, a stop, leaving and deactivation', async (t) => {
  const { bot, members, messages, room, service, shown, start, typing } = await openTyping(t)
  start(120)
  await messages.post(bot, room, { body: 'Done.' })
  t.same(shown(), [])
  start(120)
  typing.stop(bot, room)
  typing.stop(bot, room)
  t.same(shown(), [])
  start(120)
  await service.leave(bot, room)
  await service.join(bot, room)
  t.same(shown(), [])
  start(120)
  await members.setStatus(bot.member.id, 'deactivated')
  t.same(shown(), [])
})

t.test('a refused message, or one in another room, does not end a typing signal', async (t) => {
  const { ada, bot, messages, room, service, shown, start } = await openTyping(t)
  const elsewhere = (await service.create(ada, { name: 'Elsewhere', type: 'open' })).room._id
  await service.join(bot, elsewhere)
  start(30)
  await t.rejects(messages.post(bot, room, { body: ' ' }), { code: 'bad_request' })
  await messages.post(bot, elsewhere, { body: 'Hello.' })
  await messages.post(ada, room, { body: 'Hello.' })
  t.same(shown(), [['Bot', 30_000]])
})

t.test('an invalid duration is refused, after the check whether the caller may signal', async (t) => {
  const { ada, bot, room, start, typing } = await openTyping(t)
  for (const seconds of [0, 4, 121, 5.5, -5, Number.NaN, Number.POSITIVE_INFINITY]) {
    t.throws(() => start(seconds), { code: 'bad_request', message: /5 to 120/ }, String(seconds))
  }
  t.throws(() => typing.start(ada, room, 1), { code: 'forbidden', message: /agents/ })
  t.throws(() => typing.start(bot, 'nowhere', 1), { code: 'not_found' })
})

t.test('ended typing signals are removed, even in rooms that nobody reads', async (t) => {
  const opened = await openTyping(t)
  const { bot, memberships, room } = opened
  const clock = new TestClock()
  const typing = new TypingSignals({ clock, memberships })
  const signalled: string[] = []
  typing.onChange((roomId) => signalled.push(roomId))
  const rooms = [room]
  for (let n = 0; n < 4; n++) rooms.push(await opened.makeRoom({}, bot))
  for (const [place, id] of rooms.entries()) typing.start(bot, id, 120 - place)
  const kept = () => (typing as unknown as { signals: Map<string, unknown> }).signals.size
  t.equal(kept(), 5)
  typing.start(bot, room, 60)
  t.same(signalled.splice(0), rooms, 'listeners learn that a member begins, not that they go on')
  clock.advance(118_000)
  t.same(signalled, [room, ...rooms.slice(2).reverse()], 'listeners learn when a signal ends')
  clock.advance(1000)
  t.equal(kept(), 0)
  t.equal(clock.timerCount, 0)
})
