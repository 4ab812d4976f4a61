import type { Caller, Member } from '../access/member.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { LiveClient, LiveDocument } from './live-document.ts'
import type { ServerMessage } from './protocol.ts'

export type EndReason = 'signed out' | 'not allowed' | 'gone' | 'bad version' | 'too large' | 'restart'

export interface EditorConnection {
  clientId: string
  send(message: ServerMessage): void
  end(reason: EndReason, message: string): void
}

export interface Editor extends LiveClient {
  caller: Caller
  connection: EditorConnection
}

const maxEditorsInDocument = 200
const maxEditors = 2000
const maxEditorsOfMember = 100

export class Editors {
  private readonly byDocument = new Map<LiveDocument, Set<Editor>>()

  get count(): number {
    let count = 0
    for (const editors of this.byDocument.values()) count += editors.size
    return count
  }

  countIn(document: LiveDocument): number {
    return this.byDocument.get(document)?.size ?? 0
  }

  of(document: LiveDocument): Editor[] {
    return [...(this.byDocument.get(document) ?? [])]
  }

  documents(): LiveDocument[] {
    return [...this.byDocument.keys()]
  }

  /** @throws WorkspaceError `too_many_requests` */
  requireCapacity(document: LiveDocument, member: Member): void {
    if (this.countOf(member) >= maxEditorsOfMember) {
      const advice = 'Close some of them, and try again.'
      throw new WorkspaceError('too_many_requests', `You have too many texts open to edit. ${advice}`)
    }
    if (this.countIn(document) >= maxEditorsInDocument || this.count >= maxEditors) {
      throw new WorkspaceError('too_many_requests', 'Too many people are editing. Try again later.')
    }
  }

  add(document: LiveDocument, editor: Editor): void {
    const editors = this.byDocument.get(document) ?? new Set()
    this.byDocument.set(document, editors.add(editor))
  }

  remove(document: LiveDocument, editor: Editor): boolean {
    return this.byDocument.get(document)?.delete(editor) ?? false
  }

  removeAll(document: LiveDocument): Editor[] {
    const editors = this.of(document)
    this.byDocument.delete(document)
    return editors
  }

  private countOf({ id }: Member): number {
    let count = 0
    for (const editors of this.byDocument.values()) {
      for (const { caller } of editors) if (caller.member.id === id) count += 1
    }
    return count
  }
}
