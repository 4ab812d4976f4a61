import { errorText } from '../api.ts'
import { showToast } from '../feedback.ts'
import { fetchPage, morph, onEvents, onRender, refresh, setPartialUpdate } from '../live.ts'
import { markRead } from '../mark-read.ts'
import { commentOnBlocks } from './block-comments.ts'
import { highlightChanges } from './changes.ts'
import { tickCheckboxes } from './checkboxes.ts'
import { linkHeadings, markOutline } from './headings.ts'
import { sendPresence, showPresenceMarks } from './presence.ts'

/** How long to wait before links are refreshed after changes of other documents. */
const relatedRefreshMs = 2000

export function startDocument(page: HTMLElement): void {
  highlightChanges()
  const text = page.querySelector<HTMLElement>('.reading-text')
  if (!text) return
  markOutline()
  tickCheckboxes()
  linkHeadings(text)
  showPresenceMarks(text)
  commentOnBlocks(text)
  enableCopyLink(page)
  enableRename(page)
  markRead()
  followRename()
  refreshOnRelatedChange()
  followPresence()
  closeReplies(page)
  const laterParts = document.getElementById('later-parts')
  if (laterParts) void import('./parts.ts').then(({ loadParts }) => loadParts(laterParts))
  fillCommentEdits()
  const { presence } = page.dataset
  if (presence !== undefined) sendPresence(page, presence)
}

/** Shows the button only where the browser offers a clipboard. */
function enableCopyLink(page: HTMLElement): void {
  if (!('clipboard' in navigator)) return
  onRender((within) => {
    for (const button of within.querySelectorAll<HTMLElement>('[data-copy-link]')) button.hidden = false
  })
  page.addEventListener('click', (event) => {
    if (!(event.target as Element).closest('[data-copy-link]')) return
    navigator.clipboard.writeText(location.origin + location.pathname).then(
      () => showToast('Link copied.'),
      () => showToast('Your browser blocked copying.'),
    )
  })
}

function enableRename(page: HTMLElement): void {
  onRender((within) => {
    for (const button of within.querySelectorAll<HTMLElement>('[data-rename]')) button.hidden = false
  })
  page.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLElement>('[data-rename]')
    if (!button) return
    const { rename: path = '', folder = '', list = '' } = button.dataset
    document.getElementById('more-actions')?.hidePopover()
    import('./rename.ts')
      .then(({ openRenameDialog }) => openRenameDialog({ path, folder, list }))
      .catch((error: unknown) => showToast(errorText(error)))
  })
}

/** Follows when the document gets a new title or folder. */
function followRename(): void {
  onRender(() => {
    const page = document.getElementById('document-head')?.dataset.page
    if (page === undefined || decodeURI(page) === decodeURI(location.pathname)) return
    const address = page + location.search + location.hash
    // A published draft, or a document in another project, has a different kind of page.
    if (listPathOf(page) !== listPathOf(location.pathname)) location.replace(address)
    else history.replaceState(history.state, '', address)
  })
}

const listPathOf = (path: string): string => path.split('/').slice(0, 4).join('/')

/** Links and backlinks change with other documents of the project. */
function refreshOnRelatedChange(): void {
  let isScheduled = false
  onEvents((events) => {
    const head = document.getElementById('document-head')
    if (!head) return
    const { project, document: own } = head.dataset
    if (!events.some(({ projectId, docId }) => projectId === project && docId !== own)) return
    if (isScheduled) return
    isScheduled = true
    setTimeout(() => {
      isScheduled = false
      void refreshRelated()
    }, relatedRefreshMs)
  })
}

/** Fetches only the document's foot, unless its text has changed. */
async function refreshRelated(): Promise<void> {
  const current = document.getElementById('document-foot')
  const next = current?.dataset.text === undefined ? null : await fetchFragment('related')
  if (next && current && next.dataset.text === current.dataset.text) morph(current, next)
  else await refresh()
}

/** Fetches only who is present where nothing else has changed. */
function followPresence(): void {
  setPartialUpdate(async (events, topics) => {
    const own = document.getElementById('document-head')?.dataset.document
    if (events.some(({ docId }) => docId === own)) return false
    if (topics.includes(`document:${own}`) || !topics.includes(`here:${own}`)) return false
    const current = document.getElementById('here')
    const next = await fetchFragment('here')
    if (current && next) morph(current, next)
    return current !== null && next !== null
  })
}

async function fetchFragment(fragment: 'here' | 'related'): Promise<HTMLElement | null> {
  const query = new URLSearchParams(location.search)
  query.set('fragment', fragment)
  const page = await fetchPage(`${location.pathname}?${query}`)
  return page?.fetched.querySelector<HTMLElement>('body > [data-live]') ?? null
}

function closeReplies(page: HTMLElement): void {
  page.addEventListener('called', (event) => {
    const reply = (event.target as Element).closest<HTMLDetailsElement>('details:is(.reply, .edit-comment)')
    if (reply) reply.open = false
  })
}

/** The field contains the comment's text only while it is being edited. */
function fillCommentEdits(): void {
  const fill = (details: HTMLDetailsElement) => {
    const field = details.querySelector<HTMLTextAreaElement>('textarea[data-text]')
    if (!field || !details.open || field.value !== '') return
    field.defaultValue = field.dataset.text!
    field.value = field.defaultValue
  }
  // `toggle` does not bubble.
  document.addEventListener('toggle', ({ target }) => target instanceof HTMLDetailsElement && fill(target), {
    capture: true,
  })
  onRender(() => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>('.comment details[open]'))
      fill(details)
  })
}
