import { isAdmin } from '../../core/access/permissions.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { OpenSession } from '../../core/sessions/sessions.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { codeAndStatus } from '../error-response.ts'
import { messageOf } from '../next-steps.ts'
import type { ServerParts } from '../parts.ts'
import { csrfField } from './csrf-field.ts'
import { type Html, html } from './html.ts'
import { homePath, signinPagePath } from './local-path.ts'
import { redirect } from './pages.ts'
import { formHandler } from './signed-in.ts'

const welcomePath = '/welcome'

interface Names {
  name: string
  workspace: string
}

/** Follows the first sign-in and asks for the names of the member and the workspace. */
export function welcomeRoutes(
  workspace: Pick<Workspace, 'identity' | 'people'>,
  { pages, browserSessions }: Pick<ServerParts, 'pages' | 'browserSessions'>,
): Routes {
  const { identity, people } = workspace
  const showForm = (ctx: RouteContext, session: OpenSession, names: Names, failure?: WorkspaceError) =>
    pages.showStandalone(ctx, {
      status: failure ? codeAndStatus(failure.code, ctx.path).status : 200,
      title: 'Welcome',
      content: welcomeForm(session, names, failure && messageOf(failure)),
    })

  async function rename({ caller }: OpenSession, names: Names): Promise<void> {
    const { member } = caller
    if (names.name !== member.name) await people.members.change(caller, member.id, { name: names.name })
    if (isAdmin(member) && names.workspace !== identity.name) await identity.rename(caller, names.workspace)
  }

  return newRoutes()
    .purpose('Page: your name and the workspace’s, after the first sign-in')
    .get(welcomePath, (ctx) => {
      const session = browserSessions.find(ctx)
      if (!session) return redirect(ctx, signinPagePath(welcomePath))
      showForm(ctx, session, { name: session.caller.member.name, workspace: identity.name })
    })
    .purpose('Set your name and the workspace’s')
    .post(
      welcomePath,
      formHandler(browserSessions, async (ctx, session, form) => {
        const names = {
          name: (form.get('name') ?? '').trim(),
          workspace: (form.get('workspace') ?? identity.name).trim(),
        }
        try {
          await rename(session, names)
          redirect(ctx, homePath)
        } catch (error) {
          if (!(error instanceof WorkspaceError)) throw error
          showForm(ctx, session, names, error)
        }
      }),
    )
}

const welcomeForm = (session: OpenSession, { name, workspace }: Names, problem?: string): Html =>
  html`<h1>Welcome</h1>
${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
<form method="post" action="${welcomePath}">
${csrfField(session)}
<div class="field"><label for="name">Your name</label>
<input id="name" name="name" value="${name}" autocomplete="name" maxlength="80" required aria-describedby="name-hint">
<p class="hint" id="name-hint">Others see this name and use it to mention you.</p></div>
${
  isAdmin(session.caller.member) &&
  html`<div class="field"><label for="workspace">Workspace name</label>
<input id="workspace" name="workspace" value="${workspace}" autocomplete="organization" maxlength="80" required \
aria-describedby="workspace-hint">
<p class="hint" id="workspace-hint">For example the name of your team. You can change both later.</p></div>`
}
<button>Continue</button>
</form>`
