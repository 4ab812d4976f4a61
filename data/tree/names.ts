const isAscii = /^[\0-\x7f]*$/

/** NFC and case-folded: names with one key cannot coexist on every system. */
export function nameKey(name: string): string {
  if (isAscii.test(name)) return name.toLowerCase()
  // Upper case first gives full case folding: ß equals SS, ς equals σ.
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC')
}

const ignoredNames: RegExp[] = [
  /^\./, // anything hidden: vim's .x.swp, Emacs' .#x, .DS_Store, .git, .obsidian, .~lock.x#, .nfs*, and our own
  /~$/, // vim's and Emacs' backups
  /^4913$/, // vim's test whether it may write in the folder
  /^#.*#$/, // Emacs' autosave
  /^~\$/, // Office's lock
  /^~syncthing~/, // Syncthing on Windows
  /\.(?:tmp|temp)$/, // many programs' temporary files
  /\.(?:part|crdownload)$/, // browsers' downloads
  /___jb_(?:tmp|old)___$/, // JetBrains' safe write
  /^thumbs\.db$/, // Windows' folder pictures
  /^desktop\.ini$/, // Windows' folder view
  /^node_modules$/, // npm's packages
]

/** Whether a name is that of a temporary or a tool's file: never a document, never read. */
export function isIgnoredName(name: string): boolean {
  const lower = name.toLowerCase()
  return ignoredNames.some((pattern) => pattern.test(lower))
}

/** Names that only programs give to temporary files. Other hidden files may be an only copy. */
const scratchNames: RegExp[] = [
  /^\._/, // macOS: attributes of a file that the volume cannot store
  /^\.DS_Store$/, // Finder: how a folder is shown
  /^~\$/, // Office: who has the file open
  /^~WR.*\.tmp$/i, // Word
  /^\.~lock\./, // LibreOffice: who has the file open
  /^\..+\.sw[a-z]$/, // vim's swap files
  /\.sw[nop]$/, // vim's swap files where names do not begin with a dot; `.swf` is a Flash film
  /^4913$/, // vim's test whether it may write in the folder
  /^\.goutputstream/, // GNOME: a file that is being saved
]

export const isScratchName = (name: string): boolean => scratchNames.some((pattern) => pattern.test(name))

/** How tools name the losing copy of a conflict. */
const conflictPatterns: RegExp[] = [
  // Syncthing: a.sync-conflict-20260101-101010-ABCDEFG.md
  /^(?<stem>.+)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]+)?(?<extension>\.[^.]+)?$/i,
  // Dropbox, Nextcloud: a (conflicted copy 2026-01-01).md, a (Ada's conflicted copy 2026-01-01 (1)).md
  /^(?<stem>.+) \([^()]*\bconflicted copy\b[^()]*(?:\(\d+\))?\)(?: \(\d+\))?(?<extension>\.[^.]+)?$/i,
  // Dropbox, for names that another system considers equal: a (Case Conflict 1).md
  /^(?<stem>.+) \((?:case|unicode encoding) conflict(?: \d+)?\)(?<extension>\.[^.]+)?$/i,
  // a.conflicted.md, a.conflicted.2.md
  /^(?<stem>.+)\.conflicted(?:\.\d+)?(?<extension>\.[^.]+)$/i,
]

/** Returns NFC, or null for no conflict copy. The original need not exist; look it up by `nameKey`. */
export function originalOfConflictCopy(name: string): string | null {
  let original = name.normalize('NFC')
  let copies = 0
  for (;;) {
    const parts = conflictPatterns.map((pattern) => pattern.exec(original)?.groups).find(Boolean)
    if (!parts) return copies === 0 ? null : original
    original = parts.stem! + (parts.extension ?? '')
    copies++
  }
}
