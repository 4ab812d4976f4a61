import type { Caller, Member } from '../../../core/access/member.ts'
import {
  isAdmin,
  isFreshSignIn,
  managesOwnKeysOf,
  mayReadPrivateFields,
} from '../../../core/access/permissions.ts'
import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { memberPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import { ownKeysPath } from '../account/keys.ts'
import { avatar } from '../avatar.ts'
import { type Html, html } from '../html.ts'
import { directLink } from '../rooms/direct.ts'
import type { PageDeps } from '../signed-in.ts'
import { keySection, signInAgainPath } from './keys.ts'
import { profileForm } from './profile.ts'
import { projectsOf } from './projects.ts'
import { roleAndStatusSection } from './role-and-status.ts'
import { webhookSection } from './webhook.ts'

const maxDeliveries = 50

export const memberRoutes = ({ workspace, page, publicUrl }: PageDeps): Routes =>
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
  { directory: { members }, people: { presence } }: Workspace,
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

const memberWebhook = ({ webhooks: { webhooks } }: Workspace, caller: Caller, member: Member): Html | false =>
  member.type === 'agent' &&
  (mayManage(caller, member) || managesOwnKeysOf(caller.member, member)) &&
  webhookSection(
    member.id,
    webhooks.get(caller, member.id),
    webhooks.deliveries(caller, member.id, maxDeliveries),
  )

function memberKeys(
  { clock, people: { members } }: Workspace,
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

const adminSection = ({ clock }: Workspace, caller: Caller, member: Member): Html =>
  html`${roleAndStatusSection(caller.member, member)}
<details class="sheet fold" id="change-profile">
<summary>Edit profile</summary>
${profileForm(member, isFreshSignIn(caller, clock.now()))}
</details>`
