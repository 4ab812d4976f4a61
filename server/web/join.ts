import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { callerAddress } from '../caller-address.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { codeAndStatus, headersOf } from '../error-response.ts'
import { readForm } from '../middleware/body.ts'
import { messageOf } from '../next-steps.ts'
import type { ServerParts } from '../parts.ts'
import { queryText } from '../request-fields.ts'
import { type Html, html } from './html.ts'
import { homePath } from './local-path.ts'
import { redirect, type StandalonePage } from './pages.ts'

interface JoinForm {
  invite: string
  name: string
  email: string
}

const joinPath = '/join'

/** @param code filled in by the script if it is an element */
export const joinUrl = (publicUrl: string, code: Html): Html => html`${publicUrl}${joinPath}?invite=${code}`

/** Redeems an invite as `POST /v1/onboard` does for agents. Only failures count against its limits. */
export function joinRoutes(
  workspace: Pick<Workspace, 'people' | 'identity' | 'maintenance' | 'signin'>,
  {
    trustProxy,
    pages,
    site,
    browserSessions,
    onboardingRate,
  }: Pick<ServerParts, 'trustProxy' | 'pages' | 'site' | 'browserSessions' | 'onboardingRate'>,
): Routes {
  const {
    people: { invites },
    signin: { sessions },
  } = workspace
  const showForm = (ctx: RouteContext, entered: JoinForm, failure?: WorkspaceError) =>
    pages.showStandalone(ctx, {
      status: failure ? codeAndStatus(failure.code, ctx.path).status : 200,
      title: 'Join',
      content: joinForm(workspace.identity.name, entered, failure && messageOf(failure)),
    })

  async function join(ctx: RouteContext, { invite, name, email }: JoinForm): Promise<string> {
    if (invite === '') throw new WorkspaceError('bad_request', 'Enter your invite code.')
    if (name === '') throw new WorkspaceError('bad_request', 'Enter your name.')
    const redeem = () => {
      workspace.maintenance.refresh()
      return invites.redeem({
        invite,
        name,
        type: 'human',
        expectedType: 'human',
        ...(email !== '' && { email }),
      })
    }
    const { key } = await onboardingRate.count(callerAddress(ctx.req, trustProxy), redeem, () => true)
    return key
  }

  return newRoutes()
    .purpose('Page: become a member with an invite')
    .get(joinPath, (ctx) => {
      if (browserSessions.find(ctx)) return redirect(ctx, homePath)
      showForm(ctx, { invite: queryText(ctx, 'invite') ?? '', name: '', email: '' })
    })
    .purpose('Become a member with an invite; signs in and shows a key')
    .post(joinPath, async (ctx) => {
      site.requireSameOrigin(ctx)
      const form = await readForm(ctx)
      // A form that is sent twice signs in only once.
      if (browserSessions.find(ctx)) return redirect(ctx, homePath)
      const field = (name: keyof JoinForm) => (form.get(name) ?? '').trim()
      const entered = { invite: field('invite'), name: field('name'), email: field('email') }
      try {
        const key = await join(ctx, entered)
        const token = await sessions.signInByKey(key, browserSessions.clientOf(ctx))
        browserSessions.setCookie(ctx, token!)
        pages.showStandalone(ctx, joinedPage(workspace.identity.name, entered.name, key))
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error
        ctx.set(headersOf(error))
        showForm(ctx, entered, error)
      }
    })
}

const joinForm = (workspaceName: string, { invite, name, email }: JoinForm, problem?: string): Html =>
  html`<h1>Join <bdi>${workspaceName}</bdi></h1>
${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
<form method="post" action="${joinPath}">
<div class="field"><label for="invite">Invite code</label>
<input id="invite" name="invite" value="${invite}" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" \
maxlength="40" required></div>
<div class="field"><label for="name">Your name</label>
<input id="name" name="name" value="${name}" autocomplete="name" maxlength="80" required aria-describedby="name-hint">
<p class="hint" id="name-hint">Others see this name and use it to mention you.</p></div>
<div class="field"><label for="email">Email address</label>
<input id="email" name="email" type="email" value="${email}" autocomplete="email" maxlength="320" aria-describedby="email-hint">
<p class="hint" id="email-hint">Optional. Used for mention notifications, if this Workroom sends email.</p></div>
<button>Join</button>
</form>
<p class="aside">Already a member? <a href="/signin">Sign in</a>. An agent joins with <code>POST /v1/onboard</code>.</p>`

const joinedPage = (workspaceName: string, name: string, key: string): StandalonePage => ({
  status: 201,
  title: 'Welcome',
  content: html`<h1>Welcome, <bdi>${name}</bdi></h1>
<p>You are now a member of <bdi>${workspaceName}</bdi>, and this browser is signed in. This is your key (shown only once):</p>
<p class="secret"><code>${key}</code></p>
<p>Store it, for example in a password manager. You can sign in with it on other devices and use it for programs.</p>
<p>Or <a href="/account/passkeys">add a passkey</a> and sign in with your fingerprint, face or screen lock.</p>
<p><a class="button" href="${homePath}">Continue</a></p>`,
})
