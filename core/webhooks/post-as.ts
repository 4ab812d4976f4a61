import type { Member } from '../access/member.ts'

/** Where things are said in a member's name: the rooms, and below the posts. */
export interface PostsAs<Request> {
  /** Says something in a member's name. @throws WorkspaceError where they could not say it themselves */
  postAs(author: Member, placeId: string, request: Request): { id: string }
}
