import { call, errorText } from './api.ts'
import { showToast } from './feedback.ts'
import { showOwnChange } from './live.ts'
import { keyOf, StoredValue } from './stored-value.ts'
import { isTextInput } from './text-input.ts'

/** The requests that undo a change, in order. */
interface Undo {
  message: string
  requests: readonly UndoRequest[]
}

export interface UndoRequest {
  line: string
  json?: unknown
}

const offerDurationMs = 15_000

interface Offer extends Undo {
  untilMs: number
}

const stored = () => new StoredValue<Offer>(sessionStorage, keyOf('undo', 'last'))

let current: Offer | null = null
let element: HTMLElement | null = null
let timer: ReturnType<typeof setTimeout> | undefined

/** Offers undo by a button and Ctrl Z, on the next page too. */
export function offerUndo(undo: Undo): void {
  const offer = { ...undo, untilMs: Date.now() + offerDurationMs }
  stored().write(offer)
  show(offer)
}

export function resumeUndo(): void {
  const offer = stored().read()
  if (offer && offer.untilMs > Date.now()) show(offer)
  document.addEventListener('keydown', (event) => {
    const isUndoShortcut =
      (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z'
    if (!isUndoShortcut || !current || event.defaultPrevented || isTextInput(event.target)) return
    event.preventDefault()
    void runUndo(current)
  })
}

function show(offer: Offer): void {
  withdraw()
  current = offer
  element = document.createElement('p')
  element.className = 'undo'
  const text = document.createElement('span')
  text.textContent = offer.message
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Undo'
  button.ariaKeyShortcuts = 'Control+Z'
  button.addEventListener('click', () => void runUndo(offer))
  element.append(text, button)
  document.getElementById('said')?.append(element)
  withdrawLater(offer.untilMs - Date.now())
}

/** Stays while the reader points at it or has focused it. */
function withdrawLater(ms: number): void {
  timer = setTimeout(() => {
    if (element?.matches(':hover, :focus-within')) withdrawLater(1000)
    else {
      withdraw()
      stored().remove()
    }
  }, ms)
}

function withdraw(): void {
  clearTimeout(timer)
  element?.remove()
  element = null
  current = null
}

async function runUndo({ requests }: Offer): Promise<void> {
  withdraw()
  stored().remove()
  try {
    for (const { line, json } of requests) {
      const [, method = '', path = ''] = /^([A-Z]+) (\S+)$/.exec(line) ?? []
      await call(method, path, json === undefined ? {} : { json })
    }
    showToast('Undone.')
  } catch (error) {
    showToast(errorText(error))
  }
  await showOwnChange()
}
