import type { RoomType } from '../../../core/rooms/types.ts'

/** Callers, with keys that have all scopes. Plain owners and admins are not in the room of the row. */
export const kindsOfCaller = [
  'owner',
  'admin',
  'admin in the room',
  'person in the room',
  'person outside',
  'agent in the room',
  'agent outside',
  'deactivated',
  'no key',
] as const
export type KindOfCaller = (typeof kindsOfCaller)[number]

export interface Row {
  /** Method and path, as the router has them. */
  route: string
  /** What distinguishes the row from others of its route, if no other field does. */
  note?: string
  /** The type of the room that the path or the body names; open for a path by default. */
  room?: RoomType
  /** Whose message `:messageId` is. Callers outside wrote theirs before they left the room. */
  message?: 'one’s own' | 'another’s'
  /** Who uploaded the attachment `:id`. Callers outside uploaded theirs before they left the room. */
  attachment?: 'one’s own' | 'another’s'
  /** The query string. */
  query?: string
  /** Owners and admins are members of the project `general`. */
  inProject?: true
  /** The member that `:id` names, whose key `:keyId` and delivery `:deliveryId` are. */
  member?: 'oneself' | 'a member' | 'an owner' | 'an agent' | 'an agent that is an owner'
  body?: (names: Names) => Record<string, unknown>
  /** Who may. Callers without a valid key are 401, and all the others 403. */
  allowed: readonly KindOfCaller[]
  /** The status for callers who may; default: 200. */
  success?: number
}

/** Names that a body may need. */
export interface Names {
  roomId: string
  /** Of the row's message; empty if the row has none. */
  messageId: string
  /** A person who is not in the room. */
  guestId: string
  /** A display name that nobody has. */
  freeName: string
}

const peopleInRoom = ['person in the room', 'admin in the room'] as const
const inRoom = [...peopleInRoom, 'agent in the room'] as const
const admins = ['owner', 'admin', 'admin in the room'] as const
const people = [...admins, 'person in the room', 'person outside'] as const
const everybody = [...people, 'agent in the room', 'agent outside'] as const

const room = '/api/rooms/:roomId'
const message = `${room}/messages/:messageId`
const reaction = `${message}/reactions/:emoji`
const pins = `${room}/pins`
const attachments = `${room}/attachments`
const member = '/api/members/:id'
const key = `${member}/keys/:keyId`
const webhook = `${member}/webhook`
/** An ask by the owner in the project `general`, in which callers are only if `inProject` says so. */
const ask = '/api/asks/:askId'

const nothing = () => ({})
const text = () => ({ body: 'Hello' })
const newStatusText = () => ({ statusText: 'at work' })
const guest = ({ guestId }: Names) => ({ memberId: guestId })
const readUpTo = ({ messageId }: Names) => ({ messageId })
const newMember = ({ freeName }: Names) => ({ name: freeName, type: 'human' })

/** Who may do what under `/api` and with rooms of the tree: at least one row for every endpoint. */
export const permissionTable: Row[] = [
  { route: 'GET /api/rooms', allowed: everybody },
  { route: 'POST /api/rooms', body: () => ({ name: 'Tea', type: 'open' }), allowed: people, success: 201 },
  { route: `GET ${room}`, allowed: inRoom },
  { route: `GET ${room}`, room: 'closed', allowed: inRoom },
  { route: `PATCH ${room}`, body: () => ({ name: 'Tea' }), allowed: peopleInRoom },
  { route: `PATCH ${room}`, room: 'closed', body: () => ({ name: 'Tea' }), allowed: peopleInRoom },
  ...([{ type: 'closed' }, { archived: true }] as const).flatMap((change): Row[] => [
    { route: `PATCH ${room}`, note: 'managing it', body: () => change, allowed: admins },
    {
      route: `PATCH ${room}`,
      note: 'managing it',
      room: 'closed',
      body: () => change,
      allowed: ['admin in the room'],
    },
  ]),
  { route: `DELETE ${room}`, query: '?name=Room', allowed: admins },
  { route: `DELETE ${room}`, query: '?name=Room', room: 'closed', allowed: ['admin in the room'] },
  { route: `DELETE ${room}/members/:memberId`, allowed: admins },
  { route: `DELETE ${room}/members/:memberId`, room: 'closed', allowed: ['admin in the room'] },
  { route: `POST ${room}/join`, allowed: everybody },
  { route: `POST ${room}/join`, room: 'closed', allowed: inRoom },
  { route: `POST ${room}/join`, room: 'direct', allowed: inRoom },
  { route: `POST ${room}/leave`, allowed: everybody },
  { route: `POST ${room}/leave`, room: 'closed', allowed: everybody },
  { route: `POST ${room}/members`, body: guest, allowed: peopleInRoom },
  { route: `POST ${room}/members`, room: 'closed', body: guest, allowed: peopleInRoom },
  { route: `POST ${room}/members`, room: 'direct', body: guest, allowed: peopleInRoom },
  { route: `PUT ${room}/involvement`, body: () => ({ involvement: 'nothing' }), allowed: inRoom },
  { route: `PUT ${room}/sidebar`, body: () => ({ favourite: true }), allowed: inRoom },
  { route: `PUT ${room}/read`, message: 'another’s', body: readUpTo, allowed: inRoom },
  { route: `PUT ${room}/read`, room: 'closed', message: 'another’s', body: readUpTo, allowed: inRoom },
  { route: `PUT ${room}/unread`, message: 'another’s', body: readUpTo, allowed: inRoom },
  { route: `PUT ${room}/unread`, room: 'closed', message: 'another’s', body: readUpTo, allowed: inRoom },

  { route: `GET ${room}/messages`, allowed: inRoom },
  { route: `GET ${room}/messages`, room: 'closed', allowed: inRoom },
  { route: `POST ${room}/messages`, body: text, allowed: inRoom, success: 201 },
  { route: `POST ${room}/messages`, room: 'closed', body: text, allowed: inRoom, success: 201 },
  { route: `PUT ${message}`, message: 'one’s own', body: text, allowed: inRoom },
  { route: `PUT ${message}`, message: 'one’s own', room: 'closed', body: text, allowed: inRoom },
  { route: `PUT ${message}`, message: 'another’s', body: text, allowed: [] },
  { route: `DELETE ${message}`, message: 'one’s own', allowed: everybody },
  { route: `DELETE ${message}`, message: 'one’s own', room: 'closed', allowed: everybody },
  { route: `DELETE ${message}`, message: 'another’s', allowed: admins },
  { route: `DELETE ${message}`, message: 'another’s', room: 'closed', allowed: admins },

  ...(['PUT', 'DELETE'] as const).flatMap((method): Row[] => [
    { route: `${method} ${reaction}`, message: 'another’s', allowed: inRoom },
    { route: `${method} ${reaction}`, message: 'another’s', room: 'closed', allowed: inRoom },
    { route: `${method} ${pins}/:messageId`, message: 'another’s', allowed: inRoom },
    { route: `${method} ${pins}/:messageId`, message: 'another’s', room: 'closed', allowed: inRoom },
  ]),
  { route: `GET ${pins}`, allowed: inRoom },
  { route: `GET ${pins}`, room: 'closed', allowed: inRoom },

  { route: `POST ${room}/typing`, body: nothing, allowed: ['agent in the room'] },
  { route: `POST ${room}/typing`, room: 'closed', body: nothing, allowed: ['agent in the room'] },
  { route: `DELETE ${room}/typing`, allowed: ['agent in the room'] },
  { route: 'POST /api/presence', body: nothing, allowed: everybody },
  { route: 'POST /api/presence', room: 'open', body: ({ roomId }) => ({ roomId }), allowed: inRoom },
  { route: 'POST /api/presence', room: 'closed', body: ({ roomId }) => ({ roomId }), allowed: inRoom },
  { route: 'POST /api/inbox/read', body: nothing, allowed: everybody },

  { route: 'GET /api/workspace', allowed: everybody },
  { route: 'PATCH /api/workspace', body: () => ({ name: 'Testers' }), allowed: admins },

  { route: 'GET /api/members', allowed: everybody },
  { route: 'POST /api/members', body: newMember, allowed: admins, success: 201 },
  {
    route: 'POST /api/members',
    note: 'an owner',
    body: (names) => ({ ...newMember(names), role: 'owner' }),
    allowed: ['owner'],
    success: 201,
  },
  { route: `GET ${member}`, member: 'a member', allowed: everybody },
  { route: `PATCH ${member}`, member: 'oneself', body: newStatusText, allowed: everybody },
  { route: `PATCH ${member}`, member: 'a member', body: newStatusText, allowed: admins },
  { route: `PATCH ${member}`, member: 'an owner', body: newStatusText, allowed: ['owner'] },
  ...(['role', 'status'] as const).flatMap((field): Row[] => {
    const body = () => (field === 'role' ? { role: 'member' } : { status: 'deactivated' })
    return [
      { route: `PATCH ${member}`, note: field, member: 'oneself', body, allowed: admins },
      { route: `PATCH ${member}`, note: field, member: 'a member', body, allowed: admins },
      { route: `PATCH ${member}`, note: field, member: 'an owner', body, allowed: ['owner'] },
    ]
  }),
  {
    route: `PATCH ${member}`,
    note: 'to owner',
    member: 'a member',
    body: () => ({ role: 'owner' }),
    allowed: ['owner'],
  },

  ...(['oneself', 'a member', 'an owner'] as const).flatMap((whose): Row[] => {
    const others = whose === 'an owner' ? (['owner'] as const) : admins
    const allowed = whose === 'oneself' ? people : others
    return [
      { route: `GET ${member}/keys`, member: whose, allowed },
      { route: `POST ${member}/keys`, member: whose, body: nothing, allowed, success: 201 },
      { route: `DELETE ${key}`, member: whose, allowed },
      { route: `POST ${key}/rotate`, member: whose, allowed, success: 201 },
    ]
  }),

  ...(['an agent', 'an agent that is an owner'] as const).flatMap((whose): Row[] => {
    const allowed = whose === 'an agent' ? admins : (['owner'] as const)
    return [
      { route: `GET ${webhook}`, member: whose, allowed },
      { route: `PUT ${webhook}`, member: whose, body: () => ({ url: null }), allowed },
      { route: `POST ${webhook}/rotate`, member: whose, allowed },
      { route: `GET ${webhook}/deliveries`, member: whose, allowed },
      {
        route: `POST ${webhook}/deliveries/:deliveryId/redeliver`,
        member: whose,
        allowed,
        success: 202,
      },
    ]
  }),

  { route: 'GET /api/invites', allowed: admins },
  { route: 'POST /api/invites', body: nothing, allowed: admins, success: 201 },
  {
    route: 'POST /api/invites',
    note: 'of an owner',
    body: () => ({ role: 'owner' }),
    allowed: ['owner'],
    success: 201,
  },
  { route: 'DELETE /api/invites/:id', allowed: admins },

  { route: 'GET /api/asks', allowed: everybody },
  ...[
    { route: 'POST /api/asks', body: () => ({ project: 'general', title: 'Sort' }), success: 201 },
    { route: `GET ${ask}` },
    { route: `POST ${ask}/claim` },
    { route: `POST ${ask}/release` },
    { route: `POST ${ask}/resolve`, body: nothing },
    { route: `POST ${ask}/cancel` },
    { route: `PUT ${ask}/assignees`, body: () => ({ assignees: [] }) },
  ].flatMap((row): Row[] => [
    { ...row, note: 'of a project that they are in', inProject: true, allowed: admins },
    { ...row, note: 'of a project that they are not in', allowed: [] },
  ]),

  { route: `POST ${attachments}`, query: '?name=a.txt', body: text, allowed: inRoom, success: 201 },
  {
    route: `POST ${attachments}`,
    room: 'closed',
    query: '?name=a.txt',
    body: text,
    allowed: inRoom,
    success: 201,
  },
  ...(['open', 'closed', 'direct'] as const).flatMap((type): Row[] => [
    { route: `GET ${attachments}/:id`, room: type, attachment: 'another’s', allowed: inRoom },
    { route: 'GET /v1/fs/rooms/:room/attachments/:id', room: type, attachment: 'another’s', allowed: inRoom },
  ]),
  { route: `GET ${attachments}/:id`, note: 'own upload', attachment: 'one’s own', allowed: inRoom },
  { route: `DELETE ${attachments}/:id`, note: 'own upload', attachment: 'one’s own', allowed: everybody },
  { route: `DELETE ${attachments}/:id`, room: 'closed', attachment: 'another’s', allowed: admins },
  { route: 'GET /v1/fs/rooms', allowed: everybody },
  { route: 'GET /v1/fs/rooms/:room', allowed: inRoom },
  { route: 'GET /v1/fs/rooms/:room', room: 'closed', allowed: inRoom },
  { route: 'GET /v1/fs/rooms/:room', room: 'direct', allowed: inRoom },
]
