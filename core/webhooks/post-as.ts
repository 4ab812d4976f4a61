import type { Member } from '../access/member.ts'

export interface PostsAs<Request> {
  postAs(author: Member, placeId: string, request: Request): { id: string }
}
