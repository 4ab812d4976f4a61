import { call } from './api.ts'
import { type CompletionSource, matching, offerCompletions } from './completion.ts'

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
  const meant = pickedIn(field)
  return stored.replace(/@\[([^[\]\r\n]+)\]\((mem_\w+|__\w+__)\)/g, (written, name: string, id: string) => {
    // If two members have one name, the second mention stays in its stored form.
    if ((meant.get(name) ?? id) !== id) return written
    meant.set(name, id)
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
    canonical(value, meanings(broadcasts, mentions)),
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
  return canonical(text, meanings([...broadcasts, ...(await mentionables(roomId))], mentions))
}

/** Describes names that several members share. Empty until the members have been read. */
export function ambiguityIn(field: HTMLTextAreaElement, text: string = field.value): string {
  const known = lastRead.get(field.dataset.mentions ?? '')
  if (!known || !text.includes('@')) return ''
  const { ids, unclear } = meanings([...broadcasts, ...known], pickedMentions(field))
  const found = new Map<string, string>()
  eachName(text, [...ids.keys(), ...unclear.keys()], (name) => {
    const members = unclear.get(name.toLowerCase())
    if (members) found.set(name.toLowerCase(), `@${name} could be ${orList.format(members)}.`)
    return null
  })
  return found.size === 0 ? '' : [...found.values(), 'Choose one from the list after @.'].join(' ')
}

const orList = new Intl.ListFormat('en', { type: 'disjunction' })

interface Meanings {
  ids: ReadonlyMap<string, { name: string; id: string }>
  /** Members by a lower-case name that they share. */
  unclear: ReadonlyMap<string, readonly string[]>
}

function meanings(known: readonly Mentionable[], mentions: readonly PickedMention[]): Meanings {
  const candidates = new Map<string, Mentionable[]>()
  const add = (name: string, one: Mentionable) =>
    candidates.set(name.toLowerCase(), [...(candidates.get(name.toLowerCase()) ?? []), one])
  for (const one of known) add(one.name, one)
  const whole = new Set(candidates.keys())
  for (const one of known) {
    const [first = ''] = one.name.split(/\s/)
    if (first !== one.name && !whole.has(first.toLowerCase())) add(first, one)
  }
  const ids = new Map<string, { name: string; id: string }>()
  const unclear = new Map<string, string[]>()
  for (const [name, [one, ...others]] of candidates) {
    if (others.length === 0) ids.set(name, one!)
    else
      unclear.set(
        name,
        [one!, ...others].map((member) => member.name),
      )
  }
  for (const [name, id] of mentions) {
    ids.set(name.toLowerCase(), { name, id })
    unclear.delete(name.toLowerCase())
  }
  return { ids, unclear }
}

/** Code, and mentions that are already in their stored form. */
const untouched = /(```[\s\S]*?(?:```|$)|`[^`\n]*`|@\[[^[\]\r\n]+\]\([^()\s]+\))/

function canonical(text: string, { ids }: Meanings): string {
  return eachName(text, [...ids.keys()], (written) => {
    const meant = ids.get(written.toLowerCase())
    return meant ? `@[${meant.name}](${meant.id})` : null
  })
}

/** Replaces each `@name` outside of code, the longest name first; null leaves it. */
function eachName(text: string, names: readonly string[], replace: (name: string) => string | null): string {
  const longestFirst = [...names].sort((one, other) => other.length - one.length).map(escaped)
  const mention = new RegExp(`(?<![\\p{L}\\p{N}@])@(${longestFirst.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
  const mark = (part: string) => part.replace(mention, (whole, name: string) => replace(name) ?? whole)
  return text
    .split(untouched)
    .map((part, place) => (place % 2 === 0 ? mark(part) : part))
    .join('')
}

const escaped = (name: string) => name.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

function pickedIn(field: HTMLTextAreaElement): Map<string, string> {
  const known = picked.get(field) ?? new Map<string, string>()
  picked.set(field, known)
  return known
}

const keptForMs = 60_000
const asked = new Map<string, { atMs: number; people: Promise<Mentionable[]> }>()
const lastRead = new Map<string, readonly Mentionable[]>()

function mentionables(roomId: string): Promise<Mentionable[]> {
  const kept = asked.get(roomId)
  if (kept && performance.now() - kept.atMs < keptForMs) return kept.people
  const people = readEverybody(roomId)
  asked.set(roomId, { atMs: performance.now(), people })
  people.then(
    (read) => lastRead.set(roomId, read),
    () => asked.delete(roomId),
  )
  return people
}

interface Named {
  _id: string
  name: string
  type: string
}

async function readEverybody(roomId: string): Promise<Mentionable[]> {
  const [everyone, room] = await Promise.all([
    call('GET', '/api/members'),
    roomId === '' ? null : call('GET', `/api/rooms/${roomId}`),
  ])
  const members = JSON.parse(everyone.text) as Named[]
  const near = new Set(((room?.json.members as Named[] | undefined) ?? []).map(({ _id }) => _id))
  const isFar = ({ _id }: Named) => Number(!near.has(_id))
  return members
    .filter(({ _id }) => _id !== document.body.dataset.member)
    .toSorted((one, other) => isFar(one) - isFar(other) || one.name.localeCompare(other.name))
    .map(({ _id, name, type }) => ({ id: _id, name, hint: type === 'agent' ? 'agent' : '' }))
}

/** Names may contain spaces. */
const members: CompletionSource = {
  label: 'Members',
  pattern: /(?<![\p{L}\p{N}@])@([^@\n[\]()]{0,40})$/u,
  async find(query, field) {
    const known = await mentionables(field.dataset.mentions ?? '')
    return matching([...known, ...broadcasts], query, ({ name }) => name).map(({ id, name, hint }) => ({
      label: name,
      hint,
      text: `@${name}`,
      onTake: () => pickedIn(field).set(name, id),
    }))
  },
}

/** Works on text areas with `data-mentions`, whose value may be a room's id. */
export const offerMentions = (field: HTMLTextAreaElement): void => offerCompletions(field, [members])
