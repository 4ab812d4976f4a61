import { call } from './api.ts'
import { type CompletionSource, findMatches, offerCompletions, type Suggestion } from './completion.ts'

interface Mentionable {
  id: string
  name: string
  hint: string
}

/** A name and the member or broadcast that was chosen for it. */
export type PickedMention = readonly [name: string, id: string]

const broadcasts: readonly Mentionable[] = [
  { id: '__here__', name: 'here', hint: 'active members' },
  { id: '__channel__', name: 'channel', hint: 'everyone in this room or project' },
  { id: '__everyone__', name: 'everyone', hint: 'everyone in the workspace' },
]

/** By field: ids of names that were picked, or were in the edited text. */
const picked = new WeakMap<HTMLTextAreaElement, Map<string, string>>()

/** Turns stored text (`docs/interface.md#mentions`) into `@Name`, for editing. */
export function displayText(field: HTMLTextAreaElement, stored: string): string {
  const fieldMentions = pickedIn(field)
  return stored.replace(/@\[([^[\]\r\n]+)\]\((mem_\w+|__\w+__)\)/g, (markup, name: string, id: string) => {
    // If two members have one name, the second mention stays in its stored form.
    if ((fieldMentions.get(name) ?? id) !== id) return markup
    fieldMentions.set(name, id)
    return `@${name}`
  })
}

export const pickedMentions = (field: HTMLTextAreaElement): PickedMention[] => [...pickedIn(field)]

/** Restores the meanings of names in text that was typed earlier. */
export function restorePicked(field: HTMLTextAreaElement, mentions: readonly PickedMention[]): void {
  for (const [name, id] of mentions) pickedIn(field).set(name, id)
}

/** Returns the field's text in its stored form, even if the members cannot be read. */
export async function storedText(field: HTMLTextAreaElement): Promise<string> {
  const { value } = field
  const mentions = pickedMentions(field)
  return canonicalText(value, field.dataset.mentions ?? '', mentions).catch(() =>
    canonical(value, resolveNames(broadcasts, mentions)),
  )
}

/**
 * Counts names that were picked, names of members and broadcasts, and unique first names.
 * @throws as `call`
 */
export async function canonicalText(
  text: string,
  roomId: string,
  mentions: readonly PickedMention[],
): Promise<string> {
  if (!text.includes('@')) return text
  return canonical(text, resolveNames([...broadcasts, ...(await loadMentionables(roomId))], mentions))
}

/** Describes names that several members share. Empty until the members have been read. */
export function describeAmbiguity(field: HTMLTextAreaElement, text: string = field.value): string {
  const people = loaded.get(field.dataset.mentions ?? '')
  if (!people || !text.includes('@')) return ''
  const { ids, ambiguous } = resolveNames([...broadcasts, ...people], pickedMentions(field))
  const sentences = new Map<string, string>()
  replaceNames(text, [...ids.keys(), ...ambiguous.keys()], (name) => {
    const members = ambiguous.get(name.toLowerCase())
    if (members) sentences.set(name.toLowerCase(), `@${name} could be ${orList.format(members)}.`)
    return null
  })
  return sentences.size === 0 ? '' : [...sentences.values(), 'Choose one from the list after @.'].join(' ')
}

const orList = new Intl.ListFormat('en', { type: 'disjunction' })

interface ResolvedNames {
  ids: ReadonlyMap<string, { name: string; id: string }>
  /** Members by a lower-case name that they share. */
  ambiguous: ReadonlyMap<string, readonly string[]>
}

function resolveNames(people: readonly Mentionable[], mentions: readonly PickedMention[]): ResolvedNames {
  const candidates = new Map<string, Mentionable[]>()
  const add = (name: string, one: Mentionable) =>
    candidates.set(name.toLowerCase(), [...(candidates.get(name.toLowerCase()) ?? []), one])
  for (const one of people) add(one.name, one)
  const whole = new Set(candidates.keys())
  for (const one of people) {
    const [first = ''] = one.name.split(/\s/)
    if (first !== one.name && !whole.has(first.toLowerCase())) add(first, one)
  }
  const ids = new Map<string, { name: string; id: string }>()
  const ambiguous = new Map<string, string[]>()
  for (const [name, [one, ...rest]] of candidates) {
    if (rest.length === 0) ids.set(name, one!)
    else
      ambiguous.set(
        name,
        [one!, ...rest].map((member) => member.name),
      )
  }
  for (const [name, id] of mentions) {
    ids.set(name.toLowerCase(), { name, id })
    ambiguous.delete(name.toLowerCase())
  }
  return { ids, ambiguous }
}

/** Code, and mentions that are already in their stored form. */
const untouched = /(```[\s\S]*?(?:```|$)|`[^`\n]*`|@\[[^[\]\r\n]+\]\([^()\s]+\))/

function canonical(text: string, { ids }: ResolvedNames): string {
  return replaceNames(text, [...ids.keys()], (name) => {
    const mention = ids.get(name.toLowerCase())
    return mention ? `@[${mention.name}](${mention.id})` : null
  })
}

/** Replaces each `@name` outside of code, the longest name first; null leaves it. */
function replaceNames(
  text: string,
  names: readonly string[],
  replace: (name: string) => string | null,
): string {
  const longestFirst = [...names].sort((one, other) => other.length - one.length).map(escapeRegExp)
  const mention = new RegExp(`(?<![\\p{L}\\p{N}@])@(${longestFirst.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
  const replaceIn = (part: string) => part.replace(mention, (whole, name: string) => replace(name) ?? whole)
  return text
    .split(untouched)
    .map((part, index) => (index % 2 === 0 ? replaceIn(part) : part))
    .join('')
}

const escapeRegExp = (name: string) => name.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

function pickedIn(field: HTMLTextAreaElement): Map<string, string> {
  const mentions = picked.get(field) ?? new Map<string, string>()
  picked.set(field, mentions)
  return mentions
}

const cacheMs = 60_000
const requests = new Map<string, { atMs: number; people: Promise<Mentionable[]> }>()
const loaded = new Map<string, readonly Mentionable[]>()

function loadMentionables(roomId: string): Promise<Mentionable[]> {
  const cached = requests.get(roomId)
  if (cached && performance.now() - cached.atMs < cacheMs) return cached.people
  const people = fetchMentionables(roomId)
  requests.set(roomId, { atMs: performance.now(), people })
  people.then(
    (result) => loaded.set(roomId, result),
    () => requests.delete(roomId),
  )
  return people
}

interface Named {
  _id: string
  name: string
  type: string
}

async function fetchMentionables(roomId: string): Promise<Mentionable[]> {
  const [everyone, room] = await Promise.all([
    call('GET', '/api/members'),
    roomId === '' ? null : call('GET', `/api/rooms/${roomId}`),
  ])
  const members = JSON.parse(everyone.text) as Named[]
  const roomMemberIds = new Set(((room?.json.members as Named[] | undefined) ?? []).map(({ _id }) => _id))
  const distance = ({ _id }: Named) => Number(!roomMemberIds.has(_id))
  return members
    .filter(({ _id }) => _id !== document.body.dataset.member)
    .toSorted((one, other) => distance(one) - distance(other) || one.name.localeCompare(other.name))
    .map(({ _id, name, type }) => ({ id: _id, name, hint: type === 'agent' ? 'agent' : '' }))
}

/** Names may contain spaces. */
const members: CompletionSource = {
  label: 'Members',
  pattern: /(?<![\p{L}\p{N}@])@([^@\n[\]()]{0,40})$/u,
  async find(query, field) {
    const people = await loadMentionables(field.dataset.mentions ?? '')
    const suggest = ({ id, name, hint }: Mentionable): Suggestion => ({
      label: name,
      hint,
      text: `@${name}`,
      onAccept: () => pickedIn(field).set(name, id),
    })
    return findMatches([...people, ...broadcasts], query, ({ name }) => name).map(suggest)
  },
}

/** Works on text areas with `data-mentions`, whose value may be a room's id. */
export const offerMentions = (field: HTMLTextAreaElement): void => offerCompletions(field, [members])
