import type { LiveEvent } from '../live.ts'
import { ConflictResolver } from './conflicts.ts'
import type { EditSession } from './edit-session.ts'
import type { Revision } from './file.ts'
import { LocalBackup } from './local-backup.ts'
import type { EditingMode } from './mode.ts'
import { Saver } from './saving.ts'

/** Saves by button: for new files, and where live editing is not available. */
export class FormEditing implements EditingMode {
  private readonly work: EditSession
  private readonly meeting: ConflictResolver
  private readonly keeping: LocalBackup
  private readonly saving: Saver

  /** @param saved called with each saved revision */
  constructor(work: EditSession, saved: () => void) {
    this.work = work
    this.meeting = new ConflictResolver(work, {
      save: () => void this.save(),
      idle: () => this.idle(),
    })
    this.keeping = new LocalBackup(work, this.meeting)
    this.saving = new Saver(work, this.meeting, () => {
      this.keeping.saved()
      saved()
    })
  }

  changed(): void {
    this.keeping.changed()
    this.work.page.setStatus(this.work.isDirty ? 'Unsaved changes' : '')
  }

  save(): Promise<boolean> {
    return this.saving.save()
  }

  finish(): Promise<void> {
    return this.saving.saveAndClose()
  }

  publish(): Promise<void> {
    return this.saving.publish()
  }

  handleEvent(event: LiveEvent): void {
    void this.meeting.handleEvent(event)
  }

  idle(): Promise<void> {
    return this.saving.idle()
  }

  savedRevision(): Promise<Revision> {
    return Promise.resolve(this.work.base)
  }

  offerUnsaved(): void {
    this.keeping.offer()
  }

  end(): void {
    this.keeping.end()
  }
}
