import { type Caller, type Member, workspaceRoles } from '../../../core/access/member.ts'
import {
  isAdmin,
  isFreshSignIn,
  managesOwnKeysOf,
  mayManageProject,
  mayReadPrivateFields,
} from '../../../core/access/permissions.ts'
import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { memberPagePath, projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { ownKeysPath } from '../account/keys.ts'
import { avatar } from '../avatar.ts'
import { bidiIsolate } from '../bidi-isolate.ts'
import { type Html, html } from '../html.ts'
import { directLink } from '../rooms/direct.ts'
import { keySection, signInAgainPath } from './keys.ts'
import { profileForm } from './profile.ts'
import { webhookSection } from './webhook.ts'

const maxDeliveries = 50

export const memberRoutes = (
  workspace: Pick<Workspace, 'clock' | 'directory' | 'people' | 'rooms' | 'webhooks'>,
  { page, publicUrl }: Pick<ServerParts, 'page' | 'publicUrl'>,
): Routes =>
  newRoutes()
    .purpose('Page: a member; for owners and admins with keys and webhook')
    .get(
      '/members/:id',
      page((ctx, { caller }) => {
        const member = workspace.directory.members.resolve(ctx.params.id!)
        if (!member) throw new WorkspaceError('not_found', 'Member not found.')
        const isReader = member.id === caller.member.id
        return {
          title: member.name,
          kind: 'secrets',
          isFetchedAnew: true,
          content: html`<p class="trail"><a href="/members">Members</a> /</p>
<div class="page-head"><h1 class="with-avatar">${avatar(member)} <bdi>${member.name}</bdi></h1>
${isReader && html`<a class="button second small" href="/account">Your settings</a>`}
${
  !isReader &&
  member.status === 'active' &&
  caller.member.type === 'human' &&
  directLink(workspace, caller, member, { label: html`Message`, className: 'second small' })
}</div>
<div class="stack">
${memberDetails(workspace, caller.member, member)}
${projectsOf(workspace, caller.member, member)}
${memberWebhook(workspace, caller, member)}
${
  !isReader &&
  (mayManage(caller, member) || managesOwnKeysOf(caller.member, member)) &&
  memberKeys(workspace, caller, { member, baseUrl: publicUrl })
}
${isReader && member.type === 'human' && html`<p><a href="${ownKeysPath}">Your keys</a></p>`}
${mayManage(caller, member) && adminSection(workspace, caller, member)}
</div>`,
          follows: { topics: ['workspace', `member:${member.id}`, 'presence'] },
        }
      }),
    )

/** Only owners manage owners. */
const mayManage = ({ member: reader }: Caller, member: Member): boolean =>
  isAdmin(reader) && (member.role !== 'owner' || reader.role === 'owner')

function memberDetails(
  { directory: { members }, people: { presence } }: Pick<Workspace, 'directory' | 'people'>,
  reader: Member,
  member: Member,
): Html {
  const { id, type, role, status, statusText, description, email, ownerId } = member
  const mayReadPrivate = mayReadPrivateFields(reader, member)
  const owner = mayReadPrivate && ownerId !== null && members.find(ownerId)
  const agents = members.active().filter((one) => one.ownerId === id && mayReadPrivateFields(reader, one))
  return html`<div id="member" data-live>
<p class="tags">${type === 'agent' && html`<span class="tag">agent</span>`} <span class="tag">${role}</span>
${status === 'deactivated' && html`<span class="tag danger">deactivated</span>`}
${presence.isOnline(id) && html`<span class="tag good">online</span>`}</p>
${statusText && html`<p class="lead"><bdi>${statusText}</bdi></p>`}
${description && html`<p class="as-written"><bdi>${description}</bdi></p>`}
<dl class="details">
${mayReadPrivate && email && html`<dt>Email</dt><dd><bdi>${email}</bdi></dd>`}
${owner && html`<dt>Owner</dt><dd>${linkTo(owner)}</dd>`}
${agents.length > 0 && html`<dt>Agents</dt><dd>${agents.map((agent, at) => html`${at > 0 && ', '}${linkTo(agent)}`)}</dd>`}
<dt>ID</dt><dd><code>${id}</code></dd>
</dl>
</div>`
}

const linkTo = ({ id, name }: Member): Html => html`<a href="${memberPagePath(id)}"><bdi>${name}</bdi></a>`

const memberWebhook = (
  { webhooks: { webhooks } }: Pick<Workspace, 'webhooks'>,
  caller: Caller,
  member: Member,
): Html | false =>
  member.type === 'agent' &&
  (mayManage(caller, member) || managesOwnKeysOf(caller.member, member)) &&
  webhookSection(
    member.id,
    webhooks.get(caller, member.id),
    webhooks.deliveries(caller, member.id, maxDeliveries),
  )

function memberKeys(
  { clock, people: { members } }: Pick<Workspace, 'clock' | 'people'>,
  caller: Caller,
  { member, baseUrl }: { member: Member; baseUrl: string },
): Html {
  const nowMs = clock.now()
  const needsSignIn = managesOwnKeysOf(caller.member, member) && !isFreshSignIn(caller, nowMs)
  return keySection(member, {
    keys: members.keys(caller, member.id),
    baseUrl,
    nowMs,
    signInPath: needsSignIn ? signInAgainPath(memberPagePath(member.id)) : null,
  })
}

const adminSection = ({ clock }: Pick<Workspace, 'clock'>, caller: Caller, member: Member): Html =>
  html`${roleAndStatusSection(caller.member, member)}
<details class="sheet fold" id="change-profile">
<summary>Edit profile</summary>
${profileForm(member, isFreshSignIn(caller, clock.now()))}
</details>`

/** The member's projects that the reader may list, and a way to add the member to others. */
function projectsOf(
  { directory: { projects } }: Pick<Workspace, 'directory'>,
  reader: Member,
  member: Member,
): Html {
  const visible = projects.listableBy(reader).map((project) => ({
    ...project,
    role: projects.roleOf(project, member),
    own: projects.roleOf(project, reader),
  }))
  const joined = visible.filter(({ role }) => role !== null)
  const joinable = visible.filter(
    ({ role, own: readerRole, archivedMs }) =>
      role === null && archivedMs === null && mayManageProject(reader, readerRole),
  )
  return html`<section aria-labelledby="projects-title">
<h2 id="projects-title">Projects</h2>
<div id="projects" data-live>
${
  joined.length > 0
    ? html`<ul class="rows">${joined.map(
        ({ id, slug, name, role, archivedMs }) =>
          html`<li id="in-${id}"><p class="main"><a href="${projectPagePath({ slug })}"><bdi>${name}</bdi></a></p>${
            role === 'lead' && html`<span class="tag">lead</span>`
          }${archivedMs !== null && html`<span class="tag">archived</span>`}</li>
`,
      )}</ul>`
    : html`<p class="hint">None that you can see.</p>`
}
${
  joinable.length > 0 &&
  member.status === 'active' &&
  html`<form method="dialog" class="inline" id="join-project" data-call="POST /v1/projects/{project}/members" data-say="Added.">
<input type="hidden" name="memberId" value="${member.id}">
<div class="field"><label for="project">Add to a project</label>
<select id="project" name="project" required>${joinable.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select></div>
<button class="second">Add</button>
</form>`
}
</div>
</section>`
}

function roleAndStatusSection(reader: Member, { id, name, role, status }: Member): Html {
  const roles = workspaceRoles.filter((one) => one !== 'owner' || reader.role === 'owner')
  return html`<section aria-labelledby="standing-title">
<h2 id="standing-title">Role and access</h2>
<div id="standing" data-live>
<form method="dialog" class="inline" id="change-role" data-call="PATCH /api/members/${id}" data-say="Role changed.">
<div class="field"><label for="role">Role</label>
<select id="role" name="role">${roles.map(
    (one) => html`<option value="${one}"${one === role && html` selected`}>${one}</option>`,
  )}</select></div>
<button class="second">Change</button>
</form>
<p class="standing">${
    status === 'active'
      ? html`<button class="danger small" data-call="PATCH /api/members/${id}" \
data-json="{&quot;status&quot;:&quot;deactivated&quot;}" \
data-confirm="Deactivate ${bidiIsolate(name)}? All their keys stop working immediately. You can reactivate them later." \
data-confirm-button="Deactivate">Deactivate</button>
<small>All their keys stop working immediately. Their content is kept.</small>`
      : html`<button class="second small" data-call="PATCH /api/members/${id}" \
data-json="{&quot;status&quot;:&quot;active&quot;}">Reactivate</button>
<small>Their keys work again.</small>`
  }</p>
</div>
</section>`
}
