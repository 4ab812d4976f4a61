import { errorText } from './api.ts'
import { onFilesDropped, UploadCancelledError, upload, uploadLine } from './drop.ts'
import { refresh } from './live.ts'

/** Uploads files that are chosen or dropped anywhere on the page, one after the other. */
export function start(list: HTMLElement): void {
  const to = list.dataset.to!
  const field = document.getElementById(list.dataset.field!) as HTMLInputElement
  let before: Promise<void> = Promise.resolve()
  const send = (files: Iterable<File>) => {
    for (const file of files) {
      const cancelling = new AbortController()
      const line = uploadLine(list, file.name, () => cancelling.abort())
      const failed = (error: unknown) =>
        error instanceof UploadCancelledError ? line.done() : line.fail(errorText(error))
      before = before.then(() => upload(to, file, line.progress, cancelling.signal).then(line.done, failed))
    }
    before = before.then(refresh)
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
