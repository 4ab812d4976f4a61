import type { GoneMessage } from '../../../../../core/live/protocol.ts'
import type { EditSession } from '../edit-session.ts'
import type { Choice } from '../notices.ts'
import { someoneOnDisk } from '../writer-names.ts'

/** Explains what happened to the file, and offers where the text can go. */
export class Departure {
  /** Set while this page publishes. */
  isExpected = false
  private readonly work: EditSession
  private readonly useForm: (isNew: boolean) => Promise<void>

  constructor(work: EditSession, useForm: (isNew: boolean) => Promise<void>) {
    this.work = work
    this.useForm = useForm
  }

  /** Returns whether the text is no longer shared. */
  take({ reason, by, isOnDisk, to, draft }: Omit<GoneMessage, 'type'>): boolean {
    const { work } = this
    if (this.isExpected || work.isLeaving) return true
    const isOwn = !isOnDisk && by?.id === document.body.dataset.member
    const who = isOnDisk ? someoneOnDisk : isOwn ? 'You' : (by?.name ?? 'Someone')
    if (reason === 'moved' || reason === 'renamed') {
      if (to !== undefined) work.followTo(to)
      if (!isOwn) work.notices.show('moved', `${who} ${reason} this ${work.noun}.`)
      return false
    }
    const left = draft === undefined ? [] : [link('Open the draft with your unsaved changes', draft)]
    if (reason === 'deleted') {
      const words = `${who} deleted this ${work.noun}. Your text is kept in the editor.`
      this.show(words, [this.asNew('Save as new'), ...left])
    } else {
      const post = to === undefined ? [] : [link('Read the post', to)]
      const words = 'This draft has been published and can no longer be changed.'
      this.show(words, [...post, ...left, this.asNew('Save as a new draft')])
    }
    return true
  }

  refused(reason: string): void {
    const words = reason === '' ? 'Live editing is no longer available for this text.' : reason
    const alone = { words: 'Edit alone', action: () => void this.useForm(false) }
    this.show(`${words} Your text is kept in the editor.`, [alone])
  }

  private show(words: string, choices: Choice[]): void {
    this.work.page.setStatus('Not saved')
    this.work.notices.show('gone', words, choices, 'problem')
  }

  private asNew(words: string): Choice {
    return { words, action: () => void this.useForm(true) }
  }
}

const link = (words: string, address: string): Choice => ({ words, action: () => location.assign(address) })
