import t from 'tap'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { clock, owner, workspace } = workroom
const bob = await workroom.addMember({ name: 'Bob', type: 'human' }, 'general')

async function signedIn({ member }: typeof owner, next: string) {
  const browser = new ScriptlessBrowser(workroom)
  const { path } = await workspace.stores.signinLinks.issue(member)
  const response = await browser.submit(path, { next })
  return {
    browser,
    response,
    send: async (fields: Record<string, string>) =>
      browser.submit('/welcome', { csrf: await browser.csrf(), ...fields }),
  }
}

t.test('the owner’s first sign-in asks for their name and the workspace’s, without script', async (t) => {
  const { browser, response, send } = await signedIn(owner, '/welcome')
  t.equal(response.headers.location, '/welcome')
  const { text } = await browser.open('/welcome')
  t.match(text, /name="name" value="Ada"[\s\S]*name="workspace" value="Testers"/)
  const sent = await send({ name: 'Ada Lovelace', workspace: 'Harbour' })
  t.match([sent.status, sent.headers.location], [303, '/'])
  t.match((await browser.open('/')).text, /Hello, <bdi>Ada Lovelace<\/bdi>[\s\S]*/)
  t.equal(workspace.identity.name, 'Harbour')
})

t.test('a form with a mistake comes back with the mistake and the input', async (t) => {
  const { browser, send } = await signedIn(owner, '/welcome')
  for (const [fields, status, words] of [
    [{ name: 'Bob', workspace: 'Harbour' }, 409, /The name Bob is taken[\s\S]*value="Bob"/],
    [{ name: ' ', workspace: 'Harbour' }, 400, /must not be blank/],
    [{ name: 'Ada', workspace: 'x'.repeat(81) }, 400, /1 to 80 characters/],
  ] as const) {
    const response = await send(fields)
    t.equal(response.status, status)
    t.match(response.text, words)
  }
  t.equal((await browser.submit('/welcome', { name: 'Eve' })).status, 403, 'a CSRF token is required')
  t.equal((await new ScriptlessBrowser(workroom).open('/welcome')).status, 303)
})

t.test('a member’s first sign-in asks for their own name alone', async (t) => {
  const { browser, send } = await signedIn(bob, '/welcome')
  t.notMatch((await browser.open('/welcome')).text, 'name="workspace"')
  t.equal((await send({ name: 'Robert', workspace: 'Robert’s' })).status, 303)
  t.match(
    [workspace.identity.name, workspace.stores.members.find(bob.member.id)?.name],
    ['Harbour', 'Robert'],
  )
})

t.test('a new member is shown the first steps for three days', async (t) => {
  const { browser } = await signedIn(bob, '/')
  t.match(
    (await browser.open('/')).text,
    /Get started[\s\S]*href="\/rooms\/general"[\s\S]*href="\/projects\/general"/,
  )
  clock.advance(3 * 24 * 60 * 60 * 1000)
  t.notMatch((await browser.open('/')).text, 'Get started')
})
