import t from 'tap'
import { OnlinePresence } from '../../../core/members/online-presence.ts'
import { StillClock } from '../open-directories.ts'

t.test('a heartbeat counts for 90 seconds, and the next one for another 90', async (t) => {
  const clock = new StillClock()
  const presence = new OnlinePresence(clock)
  t.equal(presence.isOnline('mem_1'), false)
  presence.beat('mem_1')
  clock.nowMs += 89_999
  t.equal(presence.isOnline('mem_1'), true)
  t.equal(presence.isOnline('mem_2'), false)
  clock.nowMs += 1
  t.equal(presence.isOnline('mem_1'), false)
  presence.beat('mem_1')
  t.equal(presence.isOnline('mem_1'), true)
})

t.test('a member is in the room that their last heartbeat names', async (t) => {
  const clock = new StillClock()
  const presence = new OnlinePresence(clock)
  const here = () => ['room_1', 'room_2'].filter((room) => presence.isInRoom('mem_1', room))
  presence.beat('mem_1', { roomId: 'room_1', client: 'web' })
  t.same(here(), ['room_1'])
  presence.beat('mem_1', { roomId: 'room_2', client: null })
  t.same(here(), ['room_2'])
  clock.nowMs += 90_000
  t.same(here(), [])
  presence.beat('mem_1', { roomId: 'room_1', client: null })
  presence.beat('mem_1')
  t.same(here(), [], 'without a room, the member is in none')
})
