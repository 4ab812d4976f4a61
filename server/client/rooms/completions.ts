import { call } from '../api.ts'
import {
  type CompletionSource,
  findMatches,
  maxSuggestions,
  offerCompletions,
  type Suggestion,
} from '../completion.ts'
import { commands } from './commands.ts'

/** Completes emoji, rooms, commands and references; those of all projects if the room has none. */
export function offerRoomCompletions(field: HTMLTextAreaElement, project: string | undefined): void {
  const sources = [emoji, rooms, slashCommands, references(project)]
  offerCompletions(field, sources)
  field.addEventListener('input', (event) => {
    if ((event as InputEvent).data === ':') void replaceEmojiName(field)
  })
}

const loadEmoji = () => import('./emoji.ts')

const emoji: CompletionSource = {
  label: 'Emoji',
  pattern: /(?<![\p{L}\p{N}:/]):([a-z0-9_+-]{2,30})$/iu,
  find: async (query) => (await loadEmoji()).findEmoji(query),
}

const completeName = /(?<![\p{L}\p{N}:/]):([a-z0-9_+-]{1,40}):$/iu

/** Replaces a complete `:name:` outside of code. */
async function replaceEmojiName(field: HTMLTextAreaElement): Promise<void> {
  const { value, selectionStart: caret } = field
  const before = value.slice(0, caret)
  const [matched, name = ''] = completeName.exec(before) ?? []
  if (matched === undefined || before.split('`').length % 2 === 0) return
  const character = (await loadEmoji()).emojiNamed(name)
  if (character === undefined || field.value !== value) return
  field.setRangeText(character, caret - matched.length, caret, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}

interface NamedRoom {
  _id: string
  name: string
  type: string
}

let cachedRooms: Promise<NamedRoom[]> | null = null

function loadRooms(): Promise<NamedRoom[]> {
  cachedRooms ??= call('GET', '/api/rooms?all=1').then(({ text }) => JSON.parse(text) as NamedRoom[])
  cachedRooms.catch(() => {
    cachedRooms = null
  })
  return cachedRooms
}

const rooms: CompletionSource = {
  label: 'Rooms',
  pattern: /(?<![\p{L}\p{N}/&#])#([^\s#[\]()]{0,40})$/u,
  async find(query) {
    const candidates = (await loadRooms()).filter(({ type }) => type !== 'direct')
    return findMatches(candidates, query, ({ name }) => name).map(({ _id, name }) => ({
      label: `#${name}`,
      text: `[#${name.replace(/[\\[\]]/g, '\\$&')}](/rooms/${_id})`,
    }))
  },
}

const slashCommands: CompletionSource = {
  label: 'Commands',
  pattern: /^\/([a-z]*)$/,
  find: (query) =>
    Promise.resolve(
      Object.entries(commands)
        .filter(([name]) => name.startsWith(query))
        .map(([name, { parameter, description }]) => ({
          label: parameter === undefined ? `/${name}` : `/${name} ${parameter}`,
          hint: description,
          text: `/${name}`,
        })),
    ),
}

interface Reference {
  token: string
  type: string
  title: string
  projectName?: string
}

const references = (project: string | undefined): CompletionSource => ({
  label: 'Documents and cards',
  pattern: /\[\[([^[\]\n]{1,100})$/,
  async find(query) {
    const path =
      project === undefined ? '/navigation/refs' : `/v1/fs/projects/${encodeURIComponent(project)}/refs`
    const { json } = await call('GET', `${path}?q=${encodeURIComponent(query)}`)
    return (json.refs as Reference[]).slice(0, maxSuggestions).map(referenceOf)
  },
})

/** Adds the title to a token with an id, which is unreadable. */
function referenceOf({ token, title, type, projectName }: Reference): Suggestion {
  const isPlain = !/^\[\[[np]:/.test(token) || /[[\]|\\]/.test(title)
  return {
    label: title,
    hint: projectName ?? type,
    text: isPlain ? token : token.replace(/\]\]$/, `|${title}]]`),
  }
}
