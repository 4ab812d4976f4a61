import type { OutgoingHttpHeaders } from 'node:http'
import type { Test } from 'tap'
import type { Member } from '../../core/access/member.ts'
import type { NewMember } from '../../core/members/member-store.ts'
import type { MessagePage, MessageView, NewRoom, RoomDetail, RoomView } from '../../core/rooms/types.ts'
import type { HttpResponse } from './http-client.ts'
import { startWorkroom, type Workroom, type WorkroomOptions } from './workroom.ts'

export interface Actor {
  member: Member
  key: string
}

/** A workspace with shorthands for requests to `/api`, each made as the given actor. */
export interface Chat extends Workroom {
  person(name: string, ...projects: string[]): Promise<Actor>
  /** Adds an agent, with all scopes unless some are named. */
  agent(name: string, member?: Partial<NewMember>): Promise<Actor>
  call(
    actor: Actor,
    method: string,
    path: string,
    body?: unknown,
    headers?: OutgoingHttpHeaders,
  ): Promise<HttpResponse>
  refusal(
    actor: Actor,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<[status: number, message: string]>
  room(creator: Actor, room?: Partial<NewRoom>): Promise<RoomView>
  detail(actor: Actor, room: string): Promise<RoomDetail>
  join(actor: Actor, room: string): Promise<void>
  leave(actor: Actor, room: string): Promise<void>
  invite(actor: Actor, room: string, guest: Actor): Promise<void>
  /** @returns the message's id */
  post(actor: Actor, room: string, body: string, more?: { threadId?: string }): Promise<string>
  edit(actor: Actor, room: string, messageId: string, body: string): Promise<void>
  remove(actor: Actor, room: string, messageId: string): Promise<void>
  page(actor: Actor, room: string, query?: string): Promise<MessagePage>
  /** A message on the latest list page; undefined if it is not there. */
  message(actor: Actor, room: string, messageId: string): Promise<MessageView | undefined>
  inbox(actor: Actor): Promise<string>
}

export const mention = ({ member }: Actor): string => `@[${member.name}](${member.id})`

export async function openChat(t: Test, options: WorkroomOptions = {}): Promise<Chat> {
  const workroom = await startWorkroom(t, options)
  // Makes new rooms and members younger than those that the workspace begins with.
  workroom.clock.advance(1000)
  const call: Chat['call'] = (actor, method, path, body, headers = {}) =>
    workroom.request(method, `/api${path}`, { key: actor.key, headers, ...(body !== undefined && { body }) })
  const succeed = async (...request: Parameters<Chat['call']>) => {
    const response = await call(...request)
    if (response.status >= 300)
      throw new Error(`${request[1]} ${request[2]}: ${response.status} ${response.text}`)
    return response.json
  }
  const messagesPath = (room: string) => `/rooms/${room}/messages`
  const page: Chat['page'] = (actor, room, query = '') =>
    succeed(actor, 'GET', `${messagesPath(room)}${query && `?${query}`}`)
  let rooms = 0
  const chat = {
    call,
    page,
    person: (name: string, ...projects: string[]) => workroom.addMember({ name, type: 'human' }, ...projects),
    agent: (name: string, member = {}) => workroom.addMember({ name, type: 'agent', ...member }),
    async refusal(...request: Parameters<Chat['refusal']>) {
      const { status, json } = await call(...request)
      return [status, json?.error]
    },
    room(creator: Actor, room: Partial<NewRoom> = {}) {
      rooms += 1
      return succeed(creator, 'POST', '/rooms', { name: `Room ${rooms}`, type: 'open', ...room })
    },
    detail: (actor: Actor, room: string) => succeed(actor, 'GET', `/rooms/${room}`),
    join: (actor: Actor, room: string) => succeed(actor, 'POST', `/rooms/${room}/join`),
    leave: (actor: Actor, room: string) => succeed(actor, 'POST', `/rooms/${room}/leave`),
    invite: (actor: Actor, room: string, guest: Actor) =>
      succeed(actor, 'POST', `/rooms/${room}/members`, { memberId: guest.member.id }),
    async post(actor: Actor, room: string, body: string, more = {}) {
      return (await succeed(actor, 'POST', messagesPath(room), { body, ...more })).messageId
    },
    edit: (actor: Actor, room: string, messageId: string, body: string) =>
      succeed(actor, 'PUT', `${messagesPath(room)}/${messageId}`, { body }),
    remove: (actor: Actor, room: string, messageId: string) =>
      succeed(actor, 'DELETE', `${messagesPath(room)}/${messageId}`),
    async message(actor: Actor, room: string, messageId: string) {
      const { page: messages } = await page(actor, room, 'limit=100')
      return messages.find(({ _id }) => _id === messageId)
    },
    async inbox({ key }: Actor) {
      return (await workroom.request('GET', '/v1/fs/inbox/mentions.md', { key })).text
    },
  }
  // Copies descriptors, because the getters return new values after a restart.
  return Object.defineProperties(chat, Object.getOwnPropertyDescriptors(workroom)) as Chat
}
