import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Caller } from '../../access/member.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import { displayedText, type TextDiff } from '../../markdown/index.ts'
import type { AddressResolver } from '../addressing/address-resolver.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { Address, RevisionPair } from '../model/types.ts'

export class RevisionDiffs {
  constructor(
    private readonly deps: DocumentsDeps,
    private readonly addressing: AddressResolver,
  ) {}

  /** Returns null if comparing takes too long. @throws WorkspaceError `not_found` for an unknown revision */
  async diff(caller: Caller, address: Address, { before, after }: RevisionPair): Promise<TextDiff | null> {
    const { record } = await this.addressing.require(caller, address, 'read')
    return this.deps.markdown.differences({
      before: this.textOf(record, before),
      after: this.textOf(record, after ?? record.revision),
    })
  }

  private textOf(record: DocumentRecord, revision: string): Uint8Array {
    const content = this.deps.contents.find(record.id, revision)
    if (!content)
      throw new WorkspaceError('not_found', `This file has no revision ${JSON.stringify(revision)}.`)
    const { stored, digest } = content
    const title = digest.title ?? record.title
    const { body } = displayedText({ stored, digest, title, names: this.deps.members.names() })
    const own = digest.frontmatter?.own ?? ''
    return own === '' ? body : Buffer.concat([Buffer.from(`---\n${own}---\n`), body])
  }
}
