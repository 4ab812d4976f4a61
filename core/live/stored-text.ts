import { isUtf8 } from 'node:buffer'
import { ChangeSet, type Text } from '@codemirror/state'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { LiveTextRow, LiveTextsTable, LiveUpdateRow } from '../../data/tables/live-texts.ts'
import type { RevisionContents } from '../documents/catalogue/revision-contents.ts'
import type { OvertakenRevision } from '../documents/storage/recovery.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { type LiveBase, LiveText, type TextUpdate, textOf } from './live-text.ts'
import type { LiveOrigin } from './protocol.ts'
import { textDifference } from './text-difference.ts'

interface StoredTextDeps {
  liveTexts: LiveTextsTable
  contents: RevisionContents
  newEpoch: () => string
}

/**
 * Returns the live text as stored last, perhaps of an older revision than the document; else a new one.
 * @param overtaken a revision that was never placed @throws WorkspaceError `invalid` if it is not UTF-8
 */
export function restoreText(
  deps: StoredTextDeps,
  record: DocumentRecord,
  overtaken?: OvertakenRevision,
): LiveText {
  const { liveTexts, contents, newEpoch } = deps
  const row = liveTexts.find(record.id)
  const stored = row && contents.find(record.id, row.baseRevision)
  if (row && stored) {
    const isOvertaken = overtaken?.revision === row.baseRevision
    const before = isOvertaken ? contents.find(record.id, overtaken.previous) : null
    const previous = before && { revision: overtaken!.previous, bytes: before.stored }
    return storedText(row, stored.stored, liveTexts.updates(record.id), previous)
  }
  const text = textOf(requireText(contents.get(record.id, record.revision).stored))
  const unsaved = ChangeSet.empty(text.length)
  return new LiveText(newEpoch(), { revision: record.revision, text, version: 0, unsaved })
}

/** @param previous replaces the base, if that was overtaken @throws for damaged rows, which do not fit it */
export function storedText(
  row: LiveTextRow,
  revision: Uint8Array,
  updates: readonly LiveUpdateRow[],
  previous: { revision: string; bytes: Uint8Array } | null = null,
): LiveText {
  const base = {
    revision: row.baseRevision,
    text: textOf(requireText(revision)),
    version: row.baseVersion,
    unsaved: ChangeSet.fromJSON(JSON.parse(row.baseUnsaved)),
  }
  const rebased = previous ? rebasedOn(base, previous.revision, textOf(requireText(previous.bytes))) : base
  return new LiveText(row.epoch, rebased, updates.map(updateOf))
}

function rebasedOn({ text, unsaved, version }: LiveBase, revision: string, before: Text): LiveBase {
  return { revision, text: before, version, unsaved: textDifference(before, unsaved.apply(text)) }
}

export function requireText(stored: Uint8Array): string {
  if (isUtf8(stored)) return Buffer.from(stored).toString()
  throw new WorkspaceError('invalid', 'This file is not UTF-8 and cannot be edited live.')
}

export function rowOf(documentId: string, live: LiveText, nowMs: number): LiveTextRow {
  const { revision, version, unsaved } = live.restartingBase
  return {
    documentId,
    epoch: live.epoch,
    baseRevision: revision,
    baseVersion: version,
    baseUnsaved: JSON.stringify(unsaved.toJSON()),
    isSaved: live.isSaved ? 1 : 0,
    changedMs: nowMs,
  }
}

export const updateRowOf = (documentId: string, update: TextUpdate): LiveUpdateRow => ({
  documentId,
  version: update.version,
  clientId: update.clientId,
  seq: update.seq,
  memberId: update.memberId,
  origin: update.origin,
  changes: JSON.stringify(update.changes.toJSON()),
})

const updateOf = (row: LiveUpdateRow): TextUpdate => ({
  version: row.version,
  clientId: row.clientId,
  seq: row.seq,
  memberId: row.memberId,
  origin: row.origin as LiveOrigin,
  changes: ChangeSet.fromJSON(JSON.parse(row.changes)),
})
