import type { Member } from '../../../core/access/member.ts'
import { isAdmin } from '../../../core/access/permissions.ts'

/** The pages of the sidebar, found by their titles. */
export const ownPages = (reader: Member): { title: string; page: string }[] => [
  { title: 'Home', page: '/' },
  { title: 'Inbox', page: '/inbox' },
  { title: 'Rooms', page: '/rooms' },
  { title: 'Projects', page: '/projects' },
  { title: 'Members', page: '/members' },
  { title: 'Settings', page: '/account' },
  ...(isAdmin(reader)
    ? [
        { title: 'Usage', page: '/usage' },
        { title: 'Invites', page: '/invites' },
      ]
    : []),
]
