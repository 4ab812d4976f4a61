import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { callerAddress, rateLimitKey } from '../../../server/caller-address.ts'
import { InvalidKeys } from '../../../server/invalid-keys.ts'
import { RateLimit } from '../../../server/rate-limit.ts'
import { TestClock } from '../../support/test-clock.ts'

const minuteMs = 60_000

t.test('ten invalid keys pass, and the eleventh waits until the first is 15 minutes old', async (t) => {
  const clock = new TestClock()
  const keys = new InvalidKeys(clock)
  for (let n = 0; n < 10; n++) {
    keys.requireBelowLimit('192.0.2.1')
    keys.count('192.0.2.1', `wr_${n}`)
    clock.advance(minuteMs)
  }
  keys.requireBelowLimit('192.0.2.1')
  t.throws(() => keys.count('192.0.2.1', 'wr_10'), /in 300 seconds/, 'the eleventh itself is refused')
  t.throws(() => keys.requireBelowLimit('192.0.2.1'), /in 300 seconds/)
  keys.requireBelowLimit('192.0.2.2')
  clock.advance(5 * minuteMs - 1)
  t.throws(() => keys.requireBelowLimit('192.0.2.1'), /in 1 second\./)
  clock.advance(1)
  keys.requireBelowLimit('192.0.2.1')
  t.throws(() => keys.count('192.0.2.1', 'wr_11'), /in 60 seconds/, 'the second is a minute younger')
})

t.test('a key that is used again and again counts once, as long as it is used', async (t) => {
  const clock = new TestClock()
  const keys = new InvalidKeys(clock)
  for (let n = 0; n < 1000; n++) {
    keys.requireBelowLimit('192.0.2.1')
    keys.count('192.0.2.1', 'wr_revoked')
    clock.advance(minuteMs)
  }
  for (let n = 0; n < 9; n++) keys.count('192.0.2.1', `wr_${n}`)
  keys.requireBelowLimit('192.0.2.1')
  t.throws(() => keys.count('192.0.2.1', 'wr_9'), { code: 'too_many_requests' })
})

t.test('a clock that is set back blocks nobody for longer than the window', async (t) => {
  const clock = new TestClock()
  const keys = new InvalidKeys(clock)
  for (let n = 0; n < 10; n++) keys.count('192.0.2.1', `wr_${n}`)
  t.throws(() => keys.count('192.0.2.1', 'wr_10'))
  clock.advance(-24 * 60 * minuteMs)
  keys.requireBelowLimit('192.0.2.1')
  t.pass()
})

t.test('a million addresses do not fill the memory', async (t) => {
  const options = { limit: 10, windowMs: 1000, maxKeys: 1000, reason: 'Too many.' }
  const window = new RateLimit({ ...options, clock: new TestClock() })
  for (let n = 0; n < 1_000_000; n++) window.count(`2001:db8:${n}`)
  t.equal(window.size, 1000)
})

t.test('an IPv6 /64 is one address, and a mapped IPv4 address is the IPv4 address', async (t) => {
  t.equal(rateLimitKey('2001:db8:1:2:3:4:5:6'), rateLimitKey('2001:db8:1:2::1'))
  t.not(rateLimitKey('2001:db8:1:2::1'), rateLimitKey('2001:db8:1:3::1'))
  t.equal(rateLimitKey('::ffff:192.0.2.1'), '192.0.2.1')
  t.equal(rateLimitKey('::ffff:c000:201'), '192.0.2.1')
  t.equal(rateLimitKey('fe80::1%eth0'), rateLimitKey('fe80::2'))
  t.equal(rateLimitKey('192.0.2.1'), '192.0.2.1')
})

t.test('X-Forwarded-For counts only behind a trusted proxy, and then its last hop', async (t) => {
  const from = (forwarded: string | undefined, trustProxy: boolean) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    return callerAddress(
      { socket: { remoteAddress: '127.0.0.1' }, headers } as unknown as IncomingMessage,
      trustProxy,
    )
  }
  t.equal(from('192.0.2.9', false), '127.0.0.1')
  t.equal(from('10.0.0.1, 192.0.2.9', true), '192.0.2.9')
  t.equal(from('10.0.0.1,192.0.2.9:50000', true), '192.0.2.9')
  t.equal(from('[2001:db8::1]:50000', true), '2001:db8::1')
  t.equal(from('2001:db8::1', true), '2001:db8::1')
  for (const nonsense of [undefined, '', 'unknown', 'a, b', '192.0.2.9,'])
    t.equal(from(nonsense, true), '127.0.0.1')
})
