import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { checkBothWindows } from '../../../support/both-windows.ts'
import { openBrowser } from '../../../support/browser.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t)
const { clock, owner, workspace } = workroom
/** The server at a host name: passkeys are bound to one, and 127.0.0.1 is none. */
const named = {
  ...workroom,
  get url() {
    return workroom.url.replace('127.0.0.1', 'localhost')
  },
}

const main = (page: Page) => page.getByRole('main')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Gives the page a virtual authenticator that always verifies the person. */
async function withAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return (isVerified: boolean) =>
    devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: isVerified })
}

t.test('a passkey is added, signs in, and is removed', async (t) => {
  const page = await browser.openSignedOutPage(named)
  t.teardown(() => page.context().close())
  await page.clock.setFixedTime(clock.now())
  const setVerified = await withAuthenticator(page)
  const { path } = await workspace.stores.signinLinks.issue(owner.member)
  await page.goto(path)
  await button(page, 'Sign in').click()
  await page.waitForURL('/')
  await page.goto('/account/passkeys')
  await main(page).getByText('No passkeys yet.').waitFor()
  await page.getByLabel('Label').fill('My phone')
  await button(page, 'Add a passkey').click()
  await main(page).locator('bdi', { hasText: 'My phone' }).waitFor()
  await main(page).getByText('never used').waitFor()
  await checkBothWindows(t, browser, page, 'the list of passkeys')

  browser.expectError(page, /status of 401.*events/)
  await page.context().clearCookies()
  await page.goto('/account/passkeys')
  await checkAccessibility(t, page)
  await setVerified(false)
  await button(page, 'Sign in with a passkey').click()
  await page.getByText('No passkey was used.').waitFor()
  await setVerified(true)
  await button(page, 'Sign in with a passkey').click()
  await page.waitForURL('/account/passkeys')
  await main(page).getByText('last used').waitFor()
  t.match(page.url(), /^http:\/\/localhost/)

  await button(page, 'Remove the passkey My phone').click()
  await main(page).getByText('No passkeys yet.').waitFor()
  await page.context().clearCookies()
  await page.goto('/signin')
  browser.expectError(page, /status of 403/)
  await button(page, 'Sign in with a passkey').click()
  await page.getByText('This passkey is not registered here.').waitFor()
})

t.test('passkeys are not offered at a numeric address', async (t) => {
  const page = await browser.openPageAs(workroom, owner)
  t.teardown(() => page.context().close())
  await page.goto('/account/passkeys')
  await page.getByText('Passkeys need a browser that supports them').waitFor()
  t.ok(await button(page, 'Add a passkey').isDisabled())
  browser.expectError(page, /status of 401.*events/)
  await page.context().clearCookies()
  await page.goto('/signin')
  t.equal(await button(page, 'Sign in with a passkey').count(), 0)
})
