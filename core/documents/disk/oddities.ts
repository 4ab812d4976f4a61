import type { Look, OddKind } from '../../../data/tree/index.ts'

/** Something under a document's name that is left alone, and why. */
export interface Skipped {
  /** Within the home. */
  path: string
  reason: string
}

/** Why each kind is left alone, to stand behind a colon. */
export const oddReasons: Record<OddKind, string> = {
  symlink: 'a symbolic link is never followed',
  folder: 'a folder, not a file',
  fifo: 'a FIFO, not a regular file',
  socket: 'a socket, not a regular file',
  device: 'a device, not a regular file',
  unreadable: 'it cannot be read: look at its permissions, and whether its name is UTF-8',
  too_large: 'it is too large',
}

/** Whether a document may still lie there, although its bytes cannot be had: that is no deletion. */
export const isHidden = (look: Look): boolean =>
  look.kind === 'odd' && (look.odd === 'unreadable' || look.odd === 'too_large')

/** What lies under documents' names and is no document: as of the last look, by path within the home. */
export class Oddities {
  private readonly found = new Map<string, OddKind>()

  note(path: string, odd: OddKind): void {
    this.found.set(path, odd)
  }

  clear(path: string): void {
    this.found.delete(path)
  }

  /** Forgets what lies in a folder itself, and not what lies below it. */
  forgetFolder(folder: string): void {
    for (const path of this.found.keys()) {
      if (path.slice(0, path.lastIndexOf('/')) === folder) this.found.delete(path)
    }
  }

  /** Why a document's bytes cannot be had, in words; null when they can. */
  hides(path: string): string | null {
    const odd = this.found.get(path)
    return odd !== undefined && isHidden({ kind: 'odd', odd }) ? oddReasons[odd] : null
  }

  skipped(): Skipped[] {
    return [...this.found].map(([path, odd]) => ({ path, reason: oddReasons[odd] }))
  }
}
