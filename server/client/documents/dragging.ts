import { call, errorText } from '../api.ts'
import { showToast } from '../feedback.ts'
import { onRender, pauseUpdates, showOwnChange } from '../live.ts'
import { offerUndo } from '../undo.ts'

const dataType = 'application/x-workroom-document'

/** Drags documents into folders. With a keyboard, the dialog on their page does the same. */
export function dragDocuments(list: HTMLElement): void {
  let dragged: HTMLElement | null = null
  let resumeUpdates = () => {}
  onRender(() => {
    for (const row of list.querySelectorAll<HTMLElement>('[data-document]')) row.draggable = true
  })
  list.addEventListener('dragstart', ({ target, dataTransfer }) => {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-document]') : null
    if (!row || !dataTransfer) return
    dragged = row
    resumeUpdates = pauseUpdates()
    dataTransfer.setData(dataType, row.id)
    dataTransfer.setDragImage(row, 16, 16)
    dataTransfer.effectAllowed = 'move'
    // After the browser has taken its picture of the row.
    requestAnimationFrame(() => list.classList.add('dragging-document'))
  })
  list.addEventListener('dragover', (event) => {
    const folder = dragged && folderAt(event.target)
    mark(list, folder)
    if (!folder || folder.dataset.folder === dragged!.dataset.folderOf) return
    event.preventDefault()
    event.dataTransfer!.dropEffect = 'move'
  })
  list.addEventListener('drop', (event) => {
    const folder = dragged && folderAt(event.target)
    if (!dragged || !folder) return
    event.preventDefault()
    void move(dragged, folder.dataset.folder!)
  })
  document.addEventListener('dragend', () => {
    mark(list, null)
    list.classList.remove('dragging-document')
    dragged = null
    resumeUpdates()
  })
}

const folderAt = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-folder]') : null

function mark(list: HTMLElement, folder: HTMLElement | null): void {
  for (const marked of list.querySelectorAll('.drop-here')) {
    if (marked !== folder) marked.classList.remove('drop-here')
  }
  folder?.classList.add('drop-here')
}

async function move({ dataset }: HTMLElement, toFolder: string): Promise<void> {
  const { document: path, title, folderOf: from } = dataset
  try {
    const { json } = await call('POST', `${path}/_move`, { json: { toFolder } })
    offerUndo({
      message: `“${title}” moved to ${toFolder === '' ? 'the top level' : toFolder}.`,
      requests: [{ line: `POST ${json.path}/_move`, json: { toFolder: from } }],
    })
  } catch (error) {
    showToast(errorText(error))
  }
  await showOwnChange()
}
