import { type ApiResponse, call } from './api.ts'
import { showError } from './feedback.ts'
import { describeAmbiguity, storedText } from './mentions.ts'

export interface Unreached {
  reason: string
}

const debounceMs = 300

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
  let checkedSubject = ''
  let wasSent = false

  const show = (message: string) => {
    if (note.textContent !== message) note.textContent = message
    note.hidden = message === ''
  }
  const check = async () => {
    const stored = await storedText(field)
    const body = [...new Set(stored.match(mentions) ?? [])].join(' ')
    const { selectionStart: caret, value } = field
    const ambiguity = describeAmbiguity(
      field,
      value.slice(0, caret).replace(nameAtCaret, '') + value.slice(caret),
    )
    const subject = ambiguity + body
    if (subject === checkedSubject) return
    checkedSubject = subject
    const unreached = body === '' ? [] : await fetchUnreached(field, body).catch(() => [])
    // Further input has its own request.
    if (subject === checkedSubject)
      show([ambiguity, reasonsOf(unreached)].filter((message) => message !== '').join(' '))
  }
  field.addEventListener('input', () => {
    clearTimeout(timer)
    if (wasSent) showUnreached(form, [])
    wasSent = false
    timer = setTimeout(() => void check(), debounceMs)
  })
  form.addEventListener('called', (event) => {
    clearTimeout(timer)
    checkedSubject = ''
    show('')
    wasSent = showUnreached(form, unreachedIn((event as CustomEvent<ApiResponse>).detail))
  })
}

export function showUnreached(anchor: HTMLElement, unreached: readonly Unreached[]): boolean {
  // A message in a reply's form would disappear with the form.
  const target = anchor.closest<HTMLElement>('details:is(.reply, .edit-comment)') ?? anchor
  const message = `Sent, but some mentioned members were not notified: ${reasonsOf(unreached)}`
  showError(target, unreached.length === 0 ? null : message)
  return unreached.length > 0
}

export const unreachedIn = ({ json }: ApiResponse): readonly Unreached[] =>
  (json.unreached as Unreached[] | undefined) ?? []

export const reasonsOf = (unreached: readonly Unreached[]): string =>
  unreached.map(({ reason }) => reason).join(' ')

async function fetchUnreached(field: HTMLTextAreaElement, body: string): Promise<readonly Unreached[]> {
  const [kind = '', id = ''] = (field.dataset.unreached ?? '').split(':')
  return unreachedIn(await call('POST', '/unreached', { json: { [kind]: id, body } }))
}
