import { ApiError, csrfToken, messageOf, redirectToSignIn } from './api.ts'
import { createButton } from './button.ts'

export interface UploadedFile {
  name: string
  type: string
  size: number
  /** `/v1/fs/projects/…`, for links in texts. */
  path: string
  downloadUrl: string
}

/** Accepts dropped and pasted files. The area has the class `dropping` while files are dragged over it. */
export function onFilesDropped(area: HTMLElement, onFiles: (files: File[]) => void): void {
  let depth = 0
  const changeDepth = (by: 1 | -1) => {
    depth = Math.max(0, depth + by)
    area.classList.toggle('dropping', depth > 0)
  }
  area.addEventListener('dragenter', (event) => {
    if (holdsFiles(event.dataTransfer)) changeDepth(1)
  })
  area.addEventListener('dragleave', (event) => {
    if (holdsFiles(event.dataTransfer)) changeDepth(-1)
  })
  area.addEventListener('dragover', (event) => {
    if (holdsFiles(event.dataTransfer)) event.preventDefault()
  })
  // Captures the event: an editor within the area would insert the file as text.
  const options = { capture: true }
  const drop = (event: DragEvent) => {
    if (!holdsFiles(event.dataTransfer)) return
    event.preventDefault()
    depth = 0
    changeDepth(-1)
    onFiles([...event.dataTransfer!.files])
  }
  const paste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])]
    // Some programs add a picture of copied text.
    if (files.length === 0 || event.clipboardData!.types.includes('text/plain')) return
    event.preventDefault()
    onFiles(files)
  }
  area.addEventListener('drop', drop, options)
  area.addEventListener('paste', paste, options)
}

const holdsFiles = (data: DataTransfer | null) => data?.types.includes('Files') ?? false

export class UploadCancelledError extends Error {}

/** @param onProgress receives 0 to 1 @throws ApiError; UploadCancelledError; TypeError if unreachable */
export function upload<Result = UploadedFile>(
  url: string,
  file: File,
  onProgress: (fraction: number) => void = () => {},
  signal?: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) throw new UploadCancelledError('The upload was cancelled.')
    const request = new XMLHttpRequest()
    request.open('POST', `${url}?name=${encodeURIComponent(file.name)}`)
    request.setRequestHeader('Content-Type', file.type || 'application/octet-stream')
    request.setRequestHeader('X-Service-Client', 'workroom-web')
    request.setRequestHeader('X-CSRF-Token', csrfToken ?? '')
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total > 0 ? loaded / total : 1),
    )
    request.addEventListener('abort', () => reject(new UploadCancelledError('The upload was cancelled.')))
    signal?.addEventListener('abort', () => request.abort())
    request.addEventListener('error', () => reject(new TypeError('The server cannot be reached.')))
    request.addEventListener('load', () => {
      const { status } = request
      const body = (request.response ?? {}) as Record<string, unknown>
      if (status === 401) redirectToSignIn()
      if (status >= 200 && status < 300) resolve(body as Result)
      else reject(new ApiError(status, messageOf(body, status), body))
    })
    request.send(file)
  })
}

interface UploadProgress {
  setProgress(fraction: number): void
  complete(): void
  fail(message: string): void
}

/** @param onCancel without it, there is no button to cancel */
export function addUploadLine(list: HTMLElement, name: string, onCancel?: () => void): UploadProgress {
  const line = document.createElement('p')
  line.className = 'upload'
  const label = document.createElement('bdi')
  label.textContent = name
  const bar = document.createElement('progress')
  bar.max = 1
  bar.value = 0
  bar.ariaLabel = `Uploading ${name}`
  line.append(label, bar)
  if (onCancel) {
    const cancel = createButton('Cancel', 'quiet', onCancel)
    cancel.ariaLabel = `Cancel the upload of ${name}`
    line.append(cancel)
  }
  list.append(line)
  return {
    setProgress(fraction) {
      bar.value = fraction
    },
    complete: () => line.remove(),
    fail(message) {
      const close = createButton('Dismiss', 'quiet', () => line.remove())
      const problem = document.createElement('span')
      problem.role = 'alert'
      problem.textContent = message
      line.classList.add('failed')
      line.replaceChildren(label, problem, close)
    },
  }
}

export const linkTo = ({ name, path, type }: Pick<UploadedFile, 'name' | 'path' | 'type'>): string =>
  `${type.startsWith('image/') ? '!' : ''}[${name.replace(/[\\[\]]/g, '\\$&')}](${path.replaceAll('(', '%28').replaceAll(')', '%29')})`
