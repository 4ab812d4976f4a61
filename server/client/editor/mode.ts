import type { LiveEvent } from '../live.ts'
import type { Revision } from './file.ts'

/** How a text is saved: live as it is typed, or by a button. */
export interface EditingMode {
  handleChange(): void
  /** Returns whether everything is saved; otherwise the page says why. */
  save(): Promise<boolean>
  finish(): Promise<void>
  publish(): Promise<void>
  handleEvent(event: LiveEvent): void
  /** Resolves once no save by button is running. */
  whenIdle(): Promise<void>
  loadSavedRevision(): Promise<Revision>
  end(): void
}
