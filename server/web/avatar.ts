import { hash } from 'node:crypto'
import type { Member } from '../../core/access/member.ts'
import { initialsOf } from './documents/present-members.ts'
import { type Html, html } from './html.ts'

type Shown = Pick<Member, 'id' | 'name' | 'avatarUrl'>

/** Changes with the picture's URL, since browsers cache pictures. */
const versionOf = (avatarUrl: string): string => hash('sha256', avatarUrl, 'hex').slice(0, 8)

/** A member's picture or initials. Decorative: the name must be next to it. */
export const avatar = ({ id, name, avatarUrl }: Shown): Html =>
  avatarUrl === ''
    ? html`<span class="avatar" aria-hidden="true">${initialsOf(name)}</span>`
    : picture({ id, avatarUrl }, '')

/** For a member who has a picture. It needs no name next to it. */
export const namedPicture = (member: Shown): Html => picture(member, member.name)

const picture = ({ id, avatarUrl }: Pick<Shown, 'id' | 'avatarUrl'>, alt: string): Html =>
  html`<img class="avatar" src="/avatars/${id}?v=${versionOf(avatarUrl)}" alt="${alt}" width="32" height="32" loading="lazy">`
