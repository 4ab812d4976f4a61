import { call } from '../api.ts'
import { showToast } from '../feedback.ts'
import { storedText } from '../mentions.ts'

interface CommandContext {
  roomId: string
  argument: string
  field: HTMLTextAreaElement
}

interface Command {
  /** The expected argument, such as `name`. */
  parameter?: string
  description: string
  run(context: CommandContext): Promise<void>
}

const roomPath = (roomId: string) => `/api/rooms/${roomId}`

async function setInvolvement(roomId: string, involvement: string, message: string): Promise<void> {
  await call('PUT', `${roomPath(roomId)}/involvement`, { json: { involvement } })
  showToast(message)
}

/** Other text that begins with a slash is sent as a message, such as to an agent. */
export const commands: Readonly<Record<string, Command>> = {
  invite: {
    parameter: '@name',
    description: 'add a member to the room',
    async run({ roomId, argument, field }) {
      const [, id] = /\((mem_\w+)\)/.exec(await storedText(field)) ?? []
      const memberId = id ?? argument.replace(/^@/, '')
      await call('POST', `${roomPath(roomId)}/members`, { json: { memberId } })
      showToast('Added.')
    },
  },
  leave: {
    description: 'leave the room',
    async run({ roomId }) {
      await call('POST', `${roomPath(roomId)}/leave`)
      location.assign('/rooms')
    },
  },
  mute: {
    description: 'mute the room',
    run: ({ roomId }) => setInvolvement(roomId, 'nothing', 'Muted.'),
  },
  rename: {
    parameter: 'name',
    description: 'rename the room',
    async run({ roomId, argument }) {
      await call('PATCH', roomPath(roomId), { json: { name: argument } })
    },
  },
  search: {
    parameter: 'words',
    description: 'search everywhere',
    async run({ argument }) {
      location.assign(`/search?q=${encodeURIComponent(argument)}`)
    },
  },
  topic: {
    parameter: 'text',
    description: 'describe the room',
    async run({ roomId, argument }) {
      await call('PATCH', roomPath(roomId), { json: { description: argument } })
    },
  },
  unmute: {
    description: 'unmute the room',
    run: ({ roomId }) => setInvolvement(roomId, 'everything', 'Unmuted.'),
  },
}

/** Returns a function that runs the command; null if the text is a message. */
export function commandIn(field: HTMLTextAreaElement, roomId: string): (() => Promise<void>) | null {
  const [, name = '', argument = ''] = /^\/([a-z]+)(?:\s+([^\n]*))?\s*$/.exec(field.value) ?? []
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command || (command.parameter !== undefined) === (argument.trim() === '')) return null
  return () => command.run({ roomId, argument: argument.trim(), field })
}
