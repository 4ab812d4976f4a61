import { call } from '../api.ts'
import { storedText } from '../mentions.ts'
import { showToast } from '../toast.ts'

interface CommandContext {
  roomId: string
  words: string
  field: HTMLTextAreaElement
}

interface Command {
  /** The expected argument, such as `name`. */
  takes?: string
  does: string
  run(context: CommandContext): Promise<void>
}

const roomPath = (roomId: string) => `/api/rooms/${roomId}`

async function setInvolvement(roomId: string, involvement: string, said: string): Promise<void> {
  await call('PUT', `${roomPath(roomId)}/involvement`, { json: { involvement } })
  showToast(said)
}

/** Other text that begins with a slash is sent as a message, such as to an agent. */
export const commands: Readonly<Record<string, Command>> = {
  invite: {
    takes: '@name',
    does: 'add a member to the room',
    async run({ roomId, words, field }) {
      const [, id] = /\((mem_\w+)\)/.exec(await storedText(field)) ?? []
      const memberId = id ?? words.replace(/^@/, '')
      await call('POST', `${roomPath(roomId)}/members`, { json: { memberId } })
      showToast('Added.')
    },
  },
  leave: {
    does: 'leave the room',
    async run({ roomId }) {
      await call('POST', `${roomPath(roomId)}/leave`)
      location.assign('/rooms')
    },
  },
  mute: {
    does: 'mute the room',
    run: ({ roomId }) => setInvolvement(roomId, 'nothing', 'Muted.'),
  },
  rename: {
    takes: 'name',
    does: 'rename the room',
    async run({ roomId, words }) {
      await call('PATCH', roomPath(roomId), { json: { name: words } })
    },
  },
  search: {
    takes: 'words',
    does: 'search everywhere',
    async run({ words }) {
      location.assign(`/search?q=${encodeURIComponent(words)}`)
    },
  },
  topic: {
    takes: 'text',
    does: 'describe the room',
    async run({ roomId, words }) {
      await call('PATCH', roomPath(roomId), { json: { description: words } })
    },
  },
  unmute: {
    does: 'unmute the room',
    run: ({ roomId }) => setInvolvement(roomId, 'everything', 'Unmuted.'),
  },
}

/** Returns a function that runs the command; null if the text is a message. */
export function commandIn(field: HTMLTextAreaElement, roomId: string): (() => Promise<void>) | null {
  const [, name = '', words = ''] = /^\/([a-z]+)(?:\s+([^\n]*))?\s*$/.exec(field.value) ?? []
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command || (command.takes !== undefined) === (words.trim() === '')) return null
  return () => command.run({ roomId, words: words.trim(), field })
}
