import type { LiveEvent } from '../live.ts'
import { ConflictResolver } from './conflicts.ts'
import type { EditSession } from './edit-session.ts'
import type { Revision } from './file.ts'
import { LocalBackup } from './local-backup.ts'
import type { EditingMode } from './mode.ts'
import { Saver } from './saving.ts'

/** Saves by button: for new files, and where live editing is not available. */
export class FormEditing implements EditingMode {
  private readonly session: EditSession
  private readonly conflicts: ConflictResolver
  private readonly backup: LocalBackup
  private readonly saver: Saver

  /** @param onSaved called with each saved revision */
  constructor(session: EditSession, onSaved: () => void) {
    this.session = session
    this.conflicts = new ConflictResolver(session, {
      save: () => void this.save(),
      whenIdle: () => this.whenIdle(),
    })
    this.backup = new LocalBackup(session, this.conflicts)
    this.saver = new Saver(session, this.conflicts, () => {
      this.backup.handleSaved()
      onSaved()
    })
  }

  handleChange(): void {
    this.backup.scheduleStore()
    this.session.page.setStatus(this.session.isDirty ? 'Unsaved changes' : '')
  }

  save(): Promise<boolean> {
    return this.saver.save()
  }

  finish(): Promise<void> {
    return this.saver.saveAndClose()
  }

  publish(): Promise<void> {
    return this.saver.publish()
  }

  handleEvent(event: LiveEvent): void {
    void this.conflicts.handleEvent(event)
  }

  whenIdle(): Promise<void> {
    return this.saver.whenIdle()
  }

  loadSavedRevision(): Promise<Revision> {
    return Promise.resolve(this.session.base)
  }

  offerUnsaved(): void {
    this.backup.offerStored()
  }

  end(): void {
    this.backup.end()
  }
}
