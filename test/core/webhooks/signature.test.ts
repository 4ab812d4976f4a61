import t from 'tap'
import { headersOf, standardSignature } from '../../../core/webhooks/signature.ts'
import fixture from '../../../fixtures/webhook-signatures.json' with { type: 'json' }
import { isSignedAsStandard, isSignedBy, librarySecret } from '../../server/webhooks/verify.ts'

const secret = `whs_${'a'.repeat(43)}`
const old = `whs_${'b'.repeat(43)}`
const alone = { secret, previousSecret: null, previousUntilMs: null }

const attemptOf = (text: string, atMs = 1_614_265_330_999) => ({
  delivery: { id: 'wh_01', event: 'mention' as const },
  attempt: 1,
  body: Buffer.from(text),
  atMs,
})

/** The headers as a receiver gets them. */
const received = (headers: Record<string, string>, text: string) => ({
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  body: Buffer.from(text),
  path: '/',
  json: null,
})

t.test('the signature equals the example of the Standard Webhooks documentation', async (t) => {
  const documented = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
  const body = Buffer.from('{"test": 2432232314}')
  const key = Buffer.from(documented.slice('whsec_'.length), 'base64')
  const signature = standardSignature(key, { id, seconds: 1_614_265_330, body })
  t.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  const headers = { 'webhook-id': id, 'webhook-timestamp': '1614265330', 'webhook-signature': signature }
  t.ok(isSignedAsStandard({ headers, body }, documented), 'the helper of the tests verifies it')
})

t.test('the signature equals that of Python, Perl and OpenSSL for the same bytes', async (t) => {
  const { atMs, id, secret, vectors } = fixture
  t.equal(vectors.length, 8)
  for (const { name, body, service, standard } of vectors) {
    const attempt = { ...attemptOf(body, atMs), delivery: { id, event: 'mention' as const } }
    const headers = headersOf(attempt, { ...alone, secret })
    t.equal(headers['X-Service-Signature'], service, name)
    t.equal(headers['webhook-signature'], standard, name)
    const called = received(headers, body)
    t.match(isSignedBy(called, secret), { service: true, standard: true }, 'the tests’ helper verifies it')
  }
})

t.test('the headers are those of the interface and of the specification', async (t) => {
  const headers = headersOf(attemptOf('{}'), alone)
  t.strictSame(
    { ...headers, 'X-Service-Signature': '', 'webhook-signature': '' },
    {
      'Content-Type': 'application/json',
      'X-Service-Signature': '',
      'X-Service-Timestamp': '1614265330',
      'X-Service-Delivery-Id': 'wh_01',
      'X-Service-Retry-Num': '0',
      'X-Service-Event': 'mention',
      'webhook-id': 'wh_01',
      'webhook-timestamp': '1614265330',
      'webhook-signature': '',
    },
  )
  t.match(headers['X-Service-Signature'], /^sha256=[0-9a-f]{64}$/)
  t.match(headers['webhook-signature'], /^v1,[A-Za-z0-9+/]{43}=$/)
})

t.test('the signature covers the exact bytes of the body', async (t) => {
  for (const text of ['{}', '', '{"body":"🎉 \u2028 \' \\" é é"}', 'a'.repeat(100_000)]) {
    const called = received(headersOf(attemptOf(text), alone), text)
    t.match(isSignedBy(called, secret), { service: true, previous: false, standard: true })
    t.match(isSignedBy({ ...called, body: Buffer.from(`${text} `) }, secret), {
      service: false,
      standard: false,
    })
    t.match(isSignedBy(called, old), { service: false, standard: false })
  }
})

t.test('a library of the specification takes the secret as base64', async (t) => {
  t.equal(librarySecret(secret), `whsec_${Buffer.from(secret).toString('base64')}`)
  const called = received(headersOf(attemptOf('{}'), alone), '{}')
  t.ok(isSignedAsStandard(called, librarySecret(secret)))
})

t.test('during a rotation both secrets sign', async (t) => {
  const untilMs = 1_614_265_331_000
  const both = { secret, previousSecret: old, previousUntilMs: untilMs }
  const during = received(headersOf(attemptOf('{}', untilMs - 1), both), '{}')
  t.match(isSignedBy(during, secret), { service: true, previous: false, standard: true })
  t.match(isSignedBy(during, old), { service: false, previous: true, standard: true })
  const after = received(headersOf(attemptOf('{}', untilMs), both), '{}')
  t.notOk('x-service-signature-previous' in after.headers)
  t.match(isSignedBy(after, old), { service: false, previous: false, standard: false })
})
