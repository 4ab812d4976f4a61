import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Caller } from '../../access/member.ts'
import { hasScope } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import type { Analysis, ParsedContent } from '../../markdown/index.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { scopeFor } from '../model/scopes.ts'

/** The content of so many drafts at most is compared, the most recently active first. */
const maxCompared = 10

const bareBroadcast = /@(?:here|channel|everyone)(?![\p{L}\p{N}])/u

/** A draft that a new post was written from, and what was learnt from its text. */
interface SourceDraft {
  record: DocumentRecord
  digest: ParsedContent
}

/**
 * The author's draft of which a text that is about to be published is a copy: one with the same title, or with the same
 * content below another title; the most recently active where there are several. Looked for only where it could have
 * something that the copy lacks: mentions of everybody, or attachments. A key that may not read drafts has none.
 * @param sent the bytes as they were sent
 * @returns null where there is none
 */
export function findSourceDraft(
  { catalogue, contents }: DocumentsDeps,
  project: Project,
  caller: Caller,
  { sent, digest }: { sent: Uint8Array; digest: Analysis['digest'] },
): SourceDraft | null {
  if (!hasScope(caller, scopeFor('draft', 'read'))) return null
  const mayMeanBroadcast = bareBroadcast.test(Buffer.from(sent).toString())
  const drafts = catalogue
    .ofKind(project.id, 'draft', caller.member.id)
    .filter(({ attachments }) => mayMeanBroadcast || attachments.length > 0)
    .sort((one, other) => other.activityMs - one.activityMs || (one.id < other.id ? 1 : -1))
  const digestOf = (record: DocumentRecord) => contents.get(record.id, record.revision).digest
  const titled = drafts.find(({ title }) => title === digest.title)
  if (titled) return { record: titled, digest: digestOf(titled) }
  if (!digest.blocks) return null
  for (const record of drafts.slice(0, maxCompared)) {
    const draft = digestOf(record)
    // Ids of blocks are made of what a read shows: a mention in full and one by its name alone are equal there.
    if (draft.blocks === digest.blocks) return { record, digest: draft }
  }
  return null
}

/** Whether the draft mentions everybody in some way, which the copy of it may say by the bare name. */
export const mentionsEverybody = ({ mentions }: ParsedContent): boolean =>
  mentions.some(({ id }) => id.startsWith('__'))
