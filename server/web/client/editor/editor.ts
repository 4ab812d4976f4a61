import { EditorView, keymap } from '@codemirror/view'
import { errorText } from '../api.ts'
import { onEvents } from '../live.ts'
import { reasonsOf } from '../unreached.ts'
import { AttachmentUploads } from './attaching.ts'
import { completions } from './completion.ts'
import { ConflictResolver } from './conflicts.ts'
import { EditSession, emptyRevision } from './edit-session.ts'
import type { EditorFacts } from './facts.ts'
import { FrontmatterFields } from './fields.ts'
import { EditedFile, type Revision } from './file.ts'
import { LocalBackup } from './local-backup.ts'
import { Notices } from './notices.ts'
import { EditorPage } from './page.ts'
import { EditPresence } from './presence.ts'
import { Preview } from './preview.ts'
import { Saver } from './saving.ts'
import { formatCommands, openTextEditor } from './text-editor.ts'

export async function start(element: HTMLElement): Promise<void> {
  const page = new EditorPage(element)
  const notices = new Notices(page.news)
  const file = new EditedFile(JSON.parse(element.dataset.editor!) as EditorFacts)
  try {
    const base = file.exists ? await file.read() : emptyRevision
    if (base) open({ page, notices, file, base })
    else notices.show('gone', 'This file no longer exists. Look in the trash.', [], 'problem')
  } catch (error) {
    const again = { words: 'Try again', action: () => location.reload() }
    notices.show('gone', errorText(error), [again], 'problem')
  }
}

function open(opened: { page: EditorPage; notices: Notices; file: EditedFile; base: Revision }): void {
  const { page, file, base, notices } = opened
  const { facts } = file
  const isTold = facts.kind === 'draft' || facts.kind === 'post'
  const view = openTextEditor(page.text, {
    text: base.text,
    nonce: facts.nonce,
    hint: 'Write Markdown. Type @ to mention someone, [[ to link.',
    extensions: [
      completions(facts.project, isTold),
      keymap.of([{ key: 'Mod-s', run: () => act('save'), preventDefault: true }]),
      EditorView.updateListener.of(({ docChanged, selectionSet, changes }) => {
        if (docChanged) {
          attaching.moved((at) => changes.mapPos(at, 1))
          changed()
        }
        if (docChanged || selectionSet) presence?.moved(work.line)
      }),
    ],
  })
  const work = new EditSession({ ...opened, view })
  const meeting: ConflictResolver = new ConflictResolver(work, {
    save: () => void saving.save(),
    idle: () => saving.idle(),
  })
  const keeping = new LocalBackup(work, meeting)
  const saving = new Saver(work, meeting, () => keeping.saved())
  const near = () => ({ base: work.base, text: work.written, line: work.line })
  const presence = facts.kind === 'document' ? new EditPresence(file, near) : null
  const preview = new Preview(
    page.preview,
    {
      facts,
      text: () => work.text,
      subFolder: () => page.folder?.value.trim() ?? '',
    },
    (unreached) => {
      const words = `Some mentioned members will not be notified. ${reasonsOf(unreached)}`
      if (unreached.length === 0) notices.clear('unreached')
      else if (!notices.isShowing('unreached', words)) notices.show('unreached', words)
    },
  )
  work.unreached = () => preview.unreached()
  const fields =
    page.fields &&
    new FrontmatterFields(page.fields, { get: () => work.written, change: (text) => work.applyEdit(text) })
  if (fields) work.settleFields = () => fields.flush()
  const attaching = new AttachmentUploads(view, {
    facts,
    area: page.write,
    list: page.uploads,
    prepareTarget: () => canAttach(work, saving),
  })
  work.uploads = attaching

  function changed(): void {
    preview.schedule()
    fields?.textChanged()
    keeping.changed()
    page.setStatus(work.isDirty ? 'Unsaved changes' : '')
  }

  function act(name: string): true {
    if (name === 'save') void saving.save()
    else if (name === 'finish') void saving.saveAndClose()
    else if (name === 'publish') void saving.publish()
    else if (name === 'attach') page.chooseFiles()
    else if (Object.hasOwn(formatCommands, name)) {
      formatCommands[name as keyof typeof formatCommands](view)
      view.focus()
    }
    return true
  }

  page.onAction((name) => act(name))
  page.onView(() => preview.schedule(0))
  page.onFiles((files) => void attaching.add(files))
  page.onField(changed)
  page.scrollTogether(view.scrollDOM)
  onEvents((events) => {
    for (const event of events) if (event.docId === facts.id) void meeting.handleEvent(event)
  })
  page.ready()
  preview.schedule(0)
  if (file.exists) view.focus()
  else page.title?.focus()
  keeping.offer()
}

/** Files are attached to a draft that is there; those of the project need none. */
async function canAttach({ file }: EditSession, saving: Saver): Promise<boolean> {
  const isAttached = file.facts.kind === 'draft' || file.facts.kind === 'post'
  if (!isAttached || file.exists) return true
  return saving.save()
}
