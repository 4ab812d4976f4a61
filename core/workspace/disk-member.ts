import type { Config } from '../config.ts'
import type { MemberStore } from '../members/member-store.ts'

/** The member configured for the file's user, else for all files, else the first owner. */
export function diskMember({ disk }: Pick<Config, 'disk'>, members: MemberStore): (uid: number) => string {
  return (uid) => {
    const configured = disk.uids[String(uid)] ?? disk.member
    const member = configured === null ? null : members.resolve(configured)
    return (member ?? members.firstOwner()).id
  }
}
