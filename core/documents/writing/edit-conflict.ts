import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { EditConflict } from '../../markdown/index.ts'
import { neighbouringBlocks } from '../content/stale-block.ts'
import type { DocumentsDeps } from '../deps/deps.ts'

const maxShownText = 16_000

/** @param path of the file in the tree */
export function editConflictError(
  shared: Pick<DocumentsDeps, 'revisions'>,
  record: DocumentRecord,
  path: string,
  conflict: EditConflict,
): WorkspaceError {
  const { edit, text } = conflict
  const fields = {
    edit,
    currentRevision: record.revision,
    text: beginningOf(text),
    textLength: text.length,
    allText: path,
  }
  const ending = `Nothing was written. ${textIn(text, path)}`
  if ('block' in conflict) {
    const { block, blocks } = conflict
    const all = `${path}?view=blocks`
    return new WorkspaceError(
      'conflict',
      `EDIT_CONFLICT: edits[${edit}] names the block ${JSON.stringify(block.slice(0, 40))}, which is not in this file (any more). blocks lists those near its former position; ${all} reads all of them. ${ending}`,
      {
        fields: {
          ...fields,
          block,
          blocks: neighbouringBlocks(shared, record, block, blocks),
          allBlocks: all,
        },
      },
    )
  }
  const { found, expectedCount } = conflict
  return new WorkspaceError(
    'conflict',
    `EDIT_CONFLICT: the text to find of edits[${edit}] is there ${times(found)}${edit > 0 ? ' after the edits before it' : ''}, not ${times(expectedCount)}. ${adviceOn(found)} ${ending}`,
    { fields: { ...fields, found, expectedCount } },
  )
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)

const adviceOn = (found: number) =>
  found === 0
    ? 'Copy it exactly from the text as it is now.'
    : 'Add more of the text around it, or send the expectedCount.'

const textIn = (text: string, path: string) =>
  text.length > maxShownText
    ? `text is the beginning of what edits[] can find; ${path} reads all of it.`
    : 'text is what edits[] can find.'

/** Never divides a surrogate pair. */
function beginningOf(text: string): string {
  const end = text.charCodeAt(maxShownText - 1) >> 10 === 0x36 ? maxShownText - 1 : maxShownText
  return text.slice(0, end)
}
