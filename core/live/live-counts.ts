import type { Problem } from '../health/types.ts'
import type { LiveDocument } from './live-document.ts'

export interface LiveCounts {
  documents: number
  editors: number
  /** Texts that are not saved as a revision yet. */
  unsaved: number
  unsavedMs: number
}

type SavedState = Pick<LiveDocument, 'unsavedSinceMs' | 'saveFailure'>

/** After this time, a text whose saves keep failing is reported as a problem of the server. */
const failingMs = 60_000

export function countLive(documents: readonly SavedState[], editors: number, nowMs: number): LiveCounts {
  const unsavedAges = documents.flatMap(({ unsavedSinceMs }) =>
    unsavedSinceMs === null ? [] : [nowMs - unsavedSinceMs],
  )
  return {
    documents: documents.length,
    editors,
    unsaved: unsavedAges.length,
    unsavedMs: Math.max(0, ...unsavedAges),
  }
}

/** Reports texts that cannot be saved for reasons other than their content. */
export function savingProblems(documents: readonly SavedState[], nowMs: number): Problem[] {
  const failing = documents.filter(
    ({ saveFailure, unsavedSinceMs }) =>
      saveFailure !== null && unsavedSinceMs !== null && nowMs - unsavedSinceMs >= failingMs,
  )
  const [first] = failing
  if (!first) return []
  const texts = failing.length === 1 ? 'A text' : `${failing.length} texts`
  return [
    {
      problem: `${texts} being edited cannot be saved: ${first.saveFailure}`,
      mend: 'read the log of the server; the typed text is in the database and is saved once this is fixed',
    },
  ]
}
