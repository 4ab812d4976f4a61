import t from 'tap'
import { requireRoomDescription, requireRoomName, roomSlug } from '../../../core/room-members/naming.ts'
import { requireMessageText } from '../../../core/text/message-text.ts'

const refusal = { name: 'WorkspaceError', code: 'bad_request' }

t.test('a room’s name is one line of 1 to 80 characters and not blank', async (t) => {
  for (const name of ['a', 'R & D', '🚀'.repeat(80), '議論', '# [x](y)', '@everyone']) {
    t.doesNotThrow(() => requireRoomName(name))
  }
  for (const name of [
    '',
    ' ',
    '\u00a0',
    'a\nb',
    'a\rb',
    'a\tb',
    'a\u2028b',
    'a\0',
    '\ud800',
    'a'.repeat(81),
  ]) {
    t.throws(() => requireRoomName(name), refusal)
  }
})

t.test('a description has at most 2,000 characters on any number of lines', async (t) => {
  for (const text of ['', 'One\n\ntwo', '🚀'.repeat(2000)]) {
    t.doesNotThrow(() => requireRoomDescription(text))
  }
  for (const text of ['a'.repeat(2001), 'a\0', '\udfff']) {
    t.throws(() => requireRoomDescription(text), refusal)
  }
})

t.test('a message is text of 1 to 32,000 characters and not blank', async (t) => {
  for (const body of ['a', ' a ', 'a\r\n\tb', 'a'.repeat(32_000), '🚀'.repeat(32_000)]) {
    t.doesNotThrow(() => requireMessageText(body, 'message'))
  }
  for (const body of [
    '',
    ' \n\t',
    '\u00a0\ufeff',
    'a'.repeat(32_001),
    `${'🚀'.repeat(32_000)}a`,
    'a'.repeat(64_001),
    'a\0b',
    'a\ud83d',
    '\ude80a',
  ]) {
    t.throws(() => requireMessageText(body, 'message'), refusal)
  }
})

t.test('a room’s slug is made of its name, with a number if it is taken, or is the id', async (t) => {
  const free = (name: string, ...taken: string[]) => roomSlug(name, 'room_1', (slug) => taken.includes(slug))
  t.equal(free('Ship it!'), 'ship-it')
  t.equal(free('Ship it!', 'ship-it'), 'ship-it-2')
  t.equal(free('Ship it!', 'ship-it', 'ship-it-2', 'ship-it-3'), 'ship-it-4')
  t.equal(free('🚀'), 'room_1')
  const long = free('a'.repeat(80), 'a'.repeat(80))
  t.equal(long, `${'a'.repeat(78)}-2`)
})
