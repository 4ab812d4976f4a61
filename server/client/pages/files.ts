import { errorText } from '../api.ts'
import { addUploadLine, onFilesDropped, UploadCancelledError, upload } from '../drop.ts'
import { refresh } from '../live.ts'

export function start(): void {
  const list = document.getElementById('uploads')
  if (list) uploadFiles(list)
}

/** Uploads files that are chosen or dropped anywhere on the page, one after the other. */
function uploadFiles(list: HTMLElement): void {
  const url = list.dataset.to!
  const field = document.getElementById(list.dataset.field!) as HTMLInputElement
  let queue: Promise<void> = Promise.resolve()
  const send = (files: Iterable<File>) => {
    for (const file of files) {
      const cancellation = new AbortController()
      const line = addUploadLine(list, file.name, () => cancellation.abort())
      const handleError = (error: unknown) =>
        error instanceof UploadCancelledError ? line.complete() : line.fail(errorText(error))
      queue = queue.then(() =>
        upload(url, file, line.setProgress, cancellation.signal).then(line.complete, handleError),
      )
    }
    queue = queue.then(refresh)
  }
  const sendChosen = () => {
    send([...(field.files ?? [])])
    field.value = ''
  }
  field.addEventListener('change', sendChosen)
  // Files may have been chosen before this script was loaded.
  if (field.files?.length) sendChosen()
  onFilesDropped(document.body, send)
}
