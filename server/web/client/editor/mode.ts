import type { LiveEvent } from '../live.ts'
import type { Revision } from './file.ts'

/** How a text is saved: with others as it is typed, or by a button. */
export interface EditingMode {
  /** The text or a field has changed. */
  changed(): void
  /** Control and S, or the button. @returns whether what is written is saved; where not, the page says why */
  save(): Promise<boolean>
  /** Saves and leaves the page. */
  finish(): Promise<void>
  publish(): Promise<void>
  handleEvent(event: LiveEvent): void
  /** Resolves once nothing is being saved by a button. */
  idle(): Promise<void>
  /** The file as it was saved last. */
  savedRevision(): Promise<Revision>
  /** Ends, and leaves the text to another mode. */
  end(): void
}
