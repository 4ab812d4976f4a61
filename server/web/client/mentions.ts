import { call } from './api.ts'

interface Mentionable {
  id: string
  name: string
  hint: string
}

const broadcasts: readonly Mentionable[] = [
  { id: '__here__', name: 'here', hint: 'active members' },
  { id: '__channel__', name: 'channel', hint: 'everyone in this room or project' },
  { id: '__everyone__', name: 'everyone', hint: 'everyone in the workspace' },
]

/** By field: whom the names in it mean that were picked, or stood in the text that is edited. */
const picked = new WeakMap<HTMLTextAreaElement, Map<string, string>>()

/** A text as it is stored (`docs/interface.md#mentions`), with each mention as `@Name`, for a field to be changed in. */
export function displayText(field: HTMLTextAreaElement, stored: string): string {
  const meant = pickedIn(field)
  return stored.replace(/@\[([^[\]\r\n]+)\]\((mem_\w+|__\w+__)\)/g, (written, name: string, id: string) => {
    // Of two with one name the other stays as it is, so that both are kept.
    if ((meant.get(name) ?? id) !== id) return written
    meant.set(name, id)
    return `@${name}`
  })
}

/**
 * The text of a field as it is to be stored: with mentions in canonical form. A name counts that was picked, or that is
 * exactly a member's or a broadcast's; not within code.
 */
export async function storedText(field: HTMLTextAreaElement): Promise<string> {
  const { value } = field
  if (!value.includes('@')) return value
  const known = await mentionables(field.dataset.mentions ?? '').catch(() => broadcasts)
  const ids = new Map([...broadcasts, ...known].map(({ name, id }) => [name, id]))
  for (const [name, id] of pickedIn(field)) ids.set(name, id)
  return canonical(value, ids)
}

/** Code, and mentions that are canonical already. */
const untouched = /(```[\s\S]*?(?:```|$)|`[^`\n]*`|@\[[^[\]\r\n]+\]\([^()\s]+\))/

function canonical(text: string, ids: ReadonlyMap<string, string>): string {
  const names = [...ids.keys()].sort((one, other) => other.length - one.length).map(escaped)
  const mention = new RegExp(`(?<![\\p{L}\\p{N}@])@(${names.join('|')})(?![\\p{L}\\p{N}])`, 'gu')
  const mark = (part: string) => part.replace(mention, (_, name: string) => `@[${name}](${ids.get(name)})`)
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

function mentionables(roomId: string): Promise<Mentionable[]> {
  const kept = asked.get(roomId)
  if (kept && performance.now() - kept.atMs < keptForMs) return kept.people
  const people = readEverybody(roomId)
  asked.set(roomId, { atMs: performance.now(), people })
  people.catch(() => asked.delete(roomId))
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

const maxShown = 8
/** The text before the caret while a mention is written. Names may contain spaces. */
const activeQuery = /(?<![\p{L}\p{N}@])@([^@\n[\]()]{0,40})$/u

const openList = new WeakSet<HTMLTextAreaElement>()
let lists = 0

/**
 * Offers members as `@` is typed into a text area that has `data-mentions` (of the room with that id, if it names one).
 * Arrows choose, Enter and Tab take, Escape leaves.
 */
export function offerMentions(field: HTMLTextAreaElement): void {
  if (openList.has(field)) return
  openList.add(field)
  const list = document.createElement('ul')
  lists += 1
  list.id = `mentions-${lists}`
  list.className = 'completion'
  list.role = 'listbox'
  list.ariaLabel = 'Members'
  list.hidden = true
  list.dataset.keep = ''
  field.before(list)
  let offered: Mentionable[] = []
  let chosen = 0
  /** The `@` whose list was closed. */
  let left = -1

  const close = () => {
    list.hidden = true
    field.removeAttribute('role')
    for (const name of ['aria-expanded', 'aria-controls', 'aria-activedescendant', 'aria-autocomplete'])
      field.removeAttribute(name)
  }
  const choose = (place: number) => {
    chosen = (place + offered.length) % offered.length
    for (const [index, option] of [...list.children].entries()) {
      option.ariaSelected = String(index === chosen)
      if (index === chosen) option.scrollIntoView({ block: 'nearest' })
    }
    field.setAttribute('aria-activedescendant', `${list.id}-${chosen}`)
  }
  const take = (place: number) => {
    const one = offered[place]!
    const caret = field.selectionStart
    const start = caret - activeQuery.exec(field.value.slice(0, caret))![0].length
    pickedIn(field).set(one.name, one.id)
    const space = /^\s/.test(field.value.slice(caret)) ? '' : ' '
    field.setRangeText(`@${one.name}${space}`, start, caret, 'end')
    left = start
    close()
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  const show = () => {
    list.replaceChildren(...offered.map((one, place) => optionOf(one, `${list.id}-${place}`)))
    list.hidden = false
    list.classList.toggle('below', field.getBoundingClientRect().top < list.offsetHeight + 72)
    field.role = 'combobox'
    field.ariaExpanded = 'true'
    field.setAttribute('aria-controls', list.id)
    field.setAttribute('aria-autocomplete', 'list')
    choose(0)
  }
  const look = async () => {
    const caret = field.selectionStart
    const found = caret === field.selectionEnd ? activeQuery.exec(field.value.slice(0, caret)) : null
    if (found?.index === left) return close()
    left = -1
    if (!found) return close()
    const known = await mentionables(field.dataset.mentions ?? '').catch(() => [])
    // Meanwhile more was typed: that has been looked at by itself.
    if (field.selectionStart !== caret || document.activeElement !== field) return
    offered = matching([...known, ...broadcasts], found[1]!)
    if (offered.length === 0) close()
    else show()
  }

  field.addEventListener('input', (event) => {
    if (!(event as InputEvent).isComposing) void look()
  })
  field.addEventListener('click', () => void look())
  field.addEventListener('blur', close)
  // Before the handler that sends the text on Enter.
  field.addEventListener(
    'keydown',
    (event) => {
      if (list.hidden || event.isComposing) return
      const { key } = event
      if (key === 'ArrowDown') choose(chosen + 1)
      else if (key === 'ArrowUp') choose(chosen - 1)
      else if (key === 'Enter' || key === 'Tab') take(chosen)
      else if (key === 'Escape') {
        left = activeQuery.exec(field.value.slice(0, field.selectionStart))?.index ?? -1
        close()
      } else return
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    { capture: true },
  )
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', (event) => {
    const option = (event.target as Element).closest('[role="option"]')
    if (option) take([...list.children].indexOf(option))
  })
}

function optionOf({ name, hint }: Mentionable, id: string): HTMLElement {
  const option = document.createElement('li')
  option.id = id
  option.role = 'option'
  const label = document.createElement('bdi')
  label.textContent = name
  const aside = document.createElement('small')
  aside.textContent = hint
  option.append(label, aside)
  return option
}

/** Those whose name begins so come before those of whom another word does. */
function matching(all: Mentionable[], written: string): Mentionable[] {
  const sought = written.toLowerCase()
  const begins = all.filter(({ name }) => name.toLowerCase().startsWith(sought))
  const within = all.filter((one) => !begins.includes(one) && one.name.toLowerCase().includes(` ${sought}`))
  return [...begins, ...within].slice(0, maxShown)
}
