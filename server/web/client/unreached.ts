import { type ApiResponse, call } from './api.ts'
import { storedText } from './mentions.ts'
import { showError } from './problem.ts'

/** A mentioned member who is not notified, as the server reports them. */
export interface Unreached {
  reason: string
}

const afterMs = 300

/** In a text as it is stored, of members; the broadcasts name nobody. */
const mentions = /@\[[^[\]\r\n]+\]\(mem_\w+\)/g

const warned = new WeakSet<HTMLTextAreaElement>()

/**
 * Says beside a field who of those whom its text mentions would not hear of it, and once it is sent who has not. Its
 * `data-unreached` says where it is written to: `room:<id>` or `post:<id>`.
 */
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

  const show = (unreached: readonly Unreached[]) => {
    note.textContent = reasonsOf(unreached)
    note.hidden = unreached.length === 0
  }
  const look = async () => {
    const stored = await storedText(field)
    const body = [...new Set(stored.match(mentions) ?? [])].join(' ')
    if (body === asked) return
    asked = body
    const unreached = body === '' ? [] : await ask(field, body).catch(() => [])
    // Meanwhile more was written: that is asked for by itself.
    if (body === asked) show(unreached)
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
    show([])
    wasSent = showUnreached(form, unreachedIn((event as CustomEvent<ApiResponse>).detail))
  })
}

export function showUnreached(near: HTMLElement, unreached: readonly Unreached[]): boolean {
  // What is said within a reply's form is gone with it once the reply is there.
  const place = near.closest<HTMLElement>('details:is(.reply, .edit-comment)') ?? near
  const words = `Sent, but some mentioned members were not notified: ${reasonsOf(unreached)}`
  showError(place, unreached.length === 0 ? null : words)
  return unreached.length > 0
}

/** Whom the answer to something that was sent names. */
export const unreachedIn = ({ json }: ApiResponse): readonly Unreached[] =>
  (json.unreached as Unreached[] | undefined) ?? []

export const reasonsOf = (unreached: readonly Unreached[]): string =>
  unreached.map(({ reason }) => reason).join(' ')

async function ask(field: HTMLTextAreaElement, body: string): Promise<readonly Unreached[]> {
  const [kind = '', id = ''] = (field.dataset.unreached ?? '').split(':')
  return unreachedIn(await call('POST', '/unreached', { json: { [kind]: id, body } }))
}
