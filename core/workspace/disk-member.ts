import type { Config } from '../config.ts'
import type { MemberStore } from '../members/member-store.ts'

/**
 * Whom an edit on the disk counts for: the member who is configured for the user of this machine that owns the file, else
 * the member configured for all of them, else the first owner.
 */
export function diskMember({ disk }: Pick<Config, 'disk'>, members: MemberStore): (uid: number) => string {
  return (uid) => {
    const named = disk.uids[String(uid)] ?? disk.member
    const member = named === null ? null : members.resolve(named)
    return (member ?? members.firstOwner()).id
  }
}
