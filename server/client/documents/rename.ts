import { call, errorText } from '../api.ts'
import { createButton } from '../button.ts'
import { offerUndo, type UndoRequest } from '../undo.ts'

interface FileToRename {
  path: string
  /** Below the documents; `''` for the top. */
  folder: string
  /** Tree path of the project's documents. */
  list: string
}

/** The file's name follows its title; former addresses redirect. */
export async function openRenameDialog(file: FileToRename): Promise<void> {
  const { text, headers } = await call('GET', file.path)
  const heading = findHeading(text)
  const name = decodeURIComponent(file.path.split('/').at(-1)!)
  const loaded: LoadedFile = {
    ...file,
    name: file.folder === '' ? name : `${file.folder}/${name}`,
    text,
    revision: headers.get('X-Service-Revision')!,
    heading,
  }
  const dialog = document.createElement('dialog')
  dialog.setAttribute('aria-labelledby', 'rename-heading')
  const form = document.createElement('form')
  form.method = 'dialog'
  const head = document.createElement('h2')
  head.id = 'rename-heading'
  head.textContent = 'Rename or move'
  const title = field(form, 'Title', heading?.title ?? '')
  title.required = true
  const folder = field(form, 'Folder', file.folder)
  folder.placeholder = 'Top level'
  const problem = document.createElement('p')
  problem.role = 'alert'
  problem.className = 'problem'
  problem.hidden = true
  form.prepend(head)
  form.append(problem, buttons(dialog))
  dialog.append(form)
  document.body.append(dialog)
  dialog.addEventListener('close', () => dialog.remove())
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (form.ariaBusy === 'true') return
    form.ariaBusy = 'true'
    try {
      await rename(loaded, { title: title.value.trim(), folder: folder.value.trim() })
    } catch (error) {
      problem.textContent = errorText(error)
      problem.hidden = false
      form.ariaBusy = null
    }
  })
  dialog.showModal()
  title.select()
  void suggestFolders(folder, file.list)
}

interface Heading {
  title: string
  start: number
  end: number
}

interface LoadedFile extends FileToRename {
  /** The path below the documents when the dialog was opened. */
  name: string
  text: string
  revision: string
  heading: Heading | null
}

/** @param file is updated after each step, so that a failed one can be retried */
async function rename(file: LoadedFile, to: { title: string; folder: string }): Promise<void> {
  let url: unknown = location.pathname
  let message = ''
  const undo: UndoRequest[] = []
  if (to.folder !== file.folder) {
    const { json } = await call('POST', `${file.path}/_move`, { json: { toFolder: to.folder } })
    url = json.url
    Object.assign(file, { path: json.path, folder: to.folder })
    message = to.folder === '' ? 'Moved to the top level.' : `Moved to ${to.folder}.`
    undo.push({ line: `POST ${file.list}/${json.id}/_move`, json: { to: file.name } })
  }
  if (file.heading && to.title !== file.heading.title) {
    const { start, end } = file.heading
    const line = `# ${to.title.replace(/\s+/g, ' ')}`
    const text = file.text.slice(0, start) + line + file.text.slice(end)
    const { json } = await call('PUT', file.path, {
      body: text,
      headers: { 'Content-Type': 'text/markdown; charset=utf-8', 'If-Match': `"${file.revision}"` },
    })
    url = json.url
    message = `Renamed to “${to.title}”.`
    // Undo is an edit, to keep others' later changes. It also renames the file, so a move follows.
    const find = uniqueText(text, start, start + line.length)
    const replace = file.text.slice(start, end) + find.slice(line.length)
    const document = `${file.list}/${json.id}`
    undo.unshift({ line: `PATCH ${document}`, json: { edits: [{ find, replace }] } })
    if (undo.length === 1) undo.push({ line: `POST ${document}/_move`, json: { to: file.name } })
  }
  if (undo.length > 0) offerUndo({ message, requests: undo })
  location.assign(new URL(String(url), location.href).pathname)
}

/** Extends a range until its text occurs only once. */
function uniqueText(text: string, start: number, end: number): string {
  let until = end
  for (;;) {
    const part = text.slice(start, until)
    if (until >= text.length || (text.indexOf(part) === start && text.lastIndexOf(part) === start))
      return part
    until += 40
  }
}

/** Finds the first level-one heading outside frontmatter and fenced code. A read always has one. */
function findHeading(text: string): Heading | null {
  const end = /^---[ \t]*\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[0].length ?? 0
  let fence = ''
  let previous = { text: '', start: end }
  for (const { 0: line, index } of text.slice(end).matchAll(/[^\r\n]*(?:\r?\n|\r|$)/g)) {
    const start = end + index
    const content = line.replace(/[\r\n]+$/, '')
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(content)?.[1]
    if (fence !== '') {
      if (mark?.startsWith(fence) && content.trim() === mark) fence = ''
    } else if (mark) fence = mark
    else {
      const atx = /^ {0,3}#(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(content)
      if (atx) return { title: atx[1] ?? '', start, end: start + content.length }
      if (/^ {0,3}=+[ \t]*$/.test(content) && previous.text.trim() !== '')
        return { title: previous.text.trim(), start: previous.start, end: start + content.length }
    }
    previous = { text: content, start }
    if (line === '') break
  }
  return null
}

function field(form: HTMLFormElement, labelText: string, value: string): HTMLInputElement {
  const label = document.createElement('label')
  const input = document.createElement('input')
  input.id = `rename-${labelText.toLowerCase()}`
  input.value = value
  input.autocomplete = 'off'
  label.htmlFor = input.id
  label.textContent = labelText
  const row = document.createElement('p')
  row.className = 'field'
  row.append(label, input)
  form.append(row)
  return input
}

function buttons(dialog: HTMLDialogElement): HTMLElement {
  const row = document.createElement('div')
  row.className = 'buttons'
  const cancel = createButton('Cancel', 'second', () => dialog.close())
  const save = document.createElement('button')
  save.textContent = 'Save'
  row.append(cancel, save)
  return row
}

async function suggestFolders(input: HTMLInputElement, list: string): Promise<void> {
  const { json } = await call('GET', list)
  const folders = (json.documents as { filename: string }[]).flatMap(({ filename }) =>
    filename
      .split('/')
      .slice(0, -1)
      .map((_, depth, names) => names.slice(0, depth + 1).join('/')),
  )
  const options = document.createElement('datalist')
  options.id = 'rename-folders'
  for (const name of [...new Set(folders)].sort()) options.append(new Option(name, name))
  input.after(options)
  input.setAttribute('list', options.id)
}
