import { type ApiResponse, call } from './api.ts'
import { ambiguityIn, storedText } from './mentions.ts'
import { showError } from './problem.ts'

export interface Unreached {
  reason: string
}

const afterMs = 300

/** Mentions of members in stored text; broadcasts name no single member. */
const mentions = /@\[[^[\]\r\n]+\]\(mem_\w+\)/g

const warned = new WeakSet<HTMLTextAreaElement>()

const nameAtCaret = /@[\p{L}\p{N}]*$/u

/** `data-unreached` names where the text will be posted: `room:<id>`, `post:<id>` or `document:<id>`. */
export function warnOfUnreached(field: HTMLTextAreaElement): void {
  const form = field.form
  if (!form || warned.has(field)) return
  warned.add(field)
  const note = document.createElement('p')
  note.className = 'notice warn unreached'
  note.role = 'status'
  note.dataset.keep = ''
  note.hidden = true
  field.after(note)
  let timer: ReturnType<typeof setTimeout> | undefined
  let asked = ''
  let wasSent = false

  const show = (words: string) => {
    if (note.textContent !== words) note.textContent = words
    note.hidden = words === ''
  }
  const look = async () => {
    const stored = await storedText(field)
    const body = [...new Set(stored.match(mentions) ?? [])].join(' ')
    const { selectionStart: caret, value } = field
    const unclear = ambiguityIn(field, value.slice(0, caret).replace(nameAtCaret, '') + value.slice(caret))
    const subject = unclear + body
    if (subject === asked) return
    asked = subject
    const unreached = body === '' ? [] : await ask(field, body).catch(() => [])
    // Further input has its own request.
    if (subject === asked) show([unclear, reasonsOf(unreached)].filter((words) => words !== '').join(' '))
  }
  field.addEventListener('input', () => {
    clearTimeout(timer)
    if (wasSent) showUnreached(form, [])
    wasSent = false
    timer = setTimeout(() => void look(), afterMs)
  })
  form.addEventListener('called', (event) => {
    clearTimeout(timer)
    asked = ''
    show('')
    wasSent = showUnreached(form, unreachedIn((event as CustomEvent<ApiResponse>).detail))
  })
}

export function showUnreached(near: HTMLElement, unreached: readonly Unreached[]): boolean {
  // A message in a reply's form would disappear with the form.
  const place = near.closest<HTMLElement>('details:is(.reply, .edit-comment)') ?? near
  const words = `Sent, but some mentioned members were not notified: ${reasonsOf(unreached)}`
  showError(place, unreached.length === 0 ? null : words)
  return unreached.length > 0
}

export const unreachedIn = ({ json }: ApiResponse): readonly Unreached[] =>
  (json.unreached as Unreached[] | undefined) ?? []

export const reasonsOf = (unreached: readonly Unreached[]): string =>
  unreached.map(({ reason }) => reason).join(' ')

async function ask(field: HTMLTextAreaElement, body: string): Promise<readonly Unreached[]> {
  const [kind = '', id = ''] = (field.dataset.unreached ?? '').split(':')
  return unreachedIn(await call('POST', '/unreached', { json: { [kind]: id, body } }))
}
