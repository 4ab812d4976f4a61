import t from 'tap'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { clock, owner, workspace } = workroom
const bob = await workroom.addMember({ name: 'Bob', type: 'human' })

async function signedIn({ member }: typeof owner) {
  const browser = new ScriptlessBrowser(workroom)
  const { path } = await workspace.stores.signinLinks.issue(member)
  await browser.submit(path, {})
  const send = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    browser.send(
      'POST',
      path,
      {
        Origin: workroom.url,
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': 'application/json',
        'X-CSRF-Token': await browser.csrf(),
        ...headers,
      },
      JSON.stringify(body),
    )
  return { browser, send }
}

const origin = 'https://work.example'

t.test('a sign-in that no authenticator has signed is refused', async (t) => {
  const { passkeys } = workspace.signin
  const visitor = new ScriptlessBrowser(workroom)
  const post = (path: string, body: unknown, headers = {}) =>
    visitor.send(
      'POST',
      path,
      {
        Origin: workroom.url,
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': 'application/json',
        ...headers,
      },
      JSON.stringify(body),
    )
  t.match((await post('/signin/passkey', { response: { id: 'x' } })).status, 403)
  t.match((await post('/signin/passkey', { response: {} })).status, 403)
  t.match((await post('/signin/passkey', { response: 'x' })).status, 422)
  t.match((await post('/signin/passkey', {})).status, 422)
  t.match((await post('/signin/passkey/options', {}, { Origin: 'https://evil.example' })).status, 403)
  t.match((await post('/signin/passkey/options', {})).text, /Passkeys need a host name/)
  t.match(await passkeys.requestOptions(origin), { rpId: 'work.example', userVerification: 'required' })
  t.equal(visitor.cookie, null)
})

t.test('a passkey can be added only soon after signing in, and from our own pages', async (t) => {
  const { browser, send } = await signedIn(bob)
  const added = { response: { id: 'x' }, label: 'Phone' }
  t.match((await send('/account/passkeys', added)).text, /Passkeys need a host name/)
  t.equal((await send('/account/passkeys/options', {}, { 'X-CSRF-Token': 'x' })).status, 403)
  const session = workspace.signin.sessions.find(browser.cookie!.split('=')[1]!)!
  const { passkeys } = workspace.signin
  t.match(await passkeys.creationOptions(session.caller, origin), {
    rp: { id: 'work.example' },
    user: { name: 'Bob' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await t.rejects(passkeys.add(session.caller, origin, added), /could not be checked/)
  const label = 'two\nlines'
  await t.rejects(passkeys.add(session.caller, origin, { ...added, label }), /one line/)
  t.match((await browser.open('/account')).text, 'href="/account/passkeys"')
  t.match((await browser.open('/account/passkeys')).text, 'Add a passkey</button>')
  const byKey = workspace.stores.members.authenticate(bob.key)!
  await t.rejects(passkeys.creationOptions(byKey, origin), /within 15 minutes of signing in/)
  clock.advance(16 * 60_000)
  t.equal((await send('/account/passkeys/options', {})).status, 403)
  const { text } = await browser.open('/account/passkeys')
  t.match(text, '>sign in again</a>')
  t.notMatch(text, 'Add a passkey</button>')
  t.same(passkeys.list(byKey), [])
})
