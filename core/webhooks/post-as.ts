import type { Member } from '../access/member.ts'

/** Posts in a member's name: in rooms, and below posts. */
export interface PostsAs<Request> {
  postAs(author: Member, placeId: string, request: Request): { id: string }
}
