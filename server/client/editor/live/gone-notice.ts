import type { GoneMessage } from '../../../../core/live/protocol.ts'
import type { EditSession } from '../edit-session.ts'
import type { Choice } from '../notices.ts'
import { someoneOnDisk } from '../writer-names.ts'

/** Explains what happened to the file, and offers where the text can go. */
export class GoneNotice {
  /** Set while this page publishes. */
  isExpected = false

  constructor(
    private readonly session: EditSession,
    private readonly switchToForm: (isNew: boolean) => Promise<void>,
  ) {}

  /** Returns whether the text is no longer shared. */
  handle({ reason, by, isOnDisk, to, draft }: Omit<GoneMessage, 'type'>): boolean {
    const { session } = this
    if (this.isExpected || session.isLeaving) return true
    const isOwn = !isOnDisk && by?.id === document.body.dataset.member
    const author = isOnDisk ? someoneOnDisk : isOwn ? 'You' : (by?.name ?? 'Someone')
    if (reason === 'moved' || reason === 'renamed') {
      if (to !== undefined) session.setPagePath(to)
      if (!isOwn) session.notices.show('moved', `${author} ${reason} this ${session.noun}.`)
      return false
    }
    const draftChoices = draft === undefined ? [] : [link('Open the draft with your unsaved changes', draft)]
    if (reason === 'deleted') {
      const message = `${author} deleted this ${session.noun}. Your text is kept in the editor.`
      this.show(message, [this.saveAsNew('Save as new'), ...draftChoices])
    } else {
      const postChoices = to === undefined ? [] : [link('Read the post', to)]
      const message = 'This draft has been published and can no longer be changed.'
      this.show(message, [...postChoices, ...draftChoices, this.saveAsNew('Save as a new draft')])
    }
    return true
  }

  showRefusal(reason: string): void {
    const message = reason === '' ? 'Live editing is no longer available for this text.' : reason
    const editAlone = { label: 'Edit alone', action: () => void this.switchToForm(false) }
    this.show(`${message} Your text is kept in the editor.`, [editAlone])
  }

  private show(message: string, choices: Choice[]): void {
    this.session.page.setStatus('Not saved')
    this.session.notices.show('gone', message, choices, 'problem')
  }

  private saveAsNew(label: string): Choice {
    return { label, action: () => void this.switchToForm(true) }
  }
}

const link = (label: string, address: string): Choice => ({ label, action: () => location.assign(address) })
