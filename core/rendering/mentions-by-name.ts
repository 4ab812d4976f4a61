import { mentionCandidates } from '../documents/content/mention-candidates.ts'
import type { DocumentsDeps } from '../documents/deps/deps.ts'
import { withCanonicalMentions } from '../markdown/canonical-mentions.ts'

/** For texts that are not files, and take only canonical mentions. */
export class MentionsByName {
  constructor(private readonly deps: Pick<DocumentsDeps, 'markdown' | 'members'>) {}

  /** Replaces `@Name` by `@[Name](id)` wherever a file would mention that member. */
  async makeCanonical(text: string): Promise<string> {
    if (!text.includes('@')) return text
    const { markdown, members } = this.deps
    const bytes = Buffer.from(text)
    const people = mentionCandidates(members, bytes, null)
    const analysis = await markdown.analyse(
      { bytes, origin: 'found', people, names: members.names(), before: null },
      'answering',
    )
    return analysis.kind === 'refusal' ? text : withCanonicalMentions(bytes, analysis.digest.mentions)
  }
}
