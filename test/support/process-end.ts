const undoings: (() => Promise<void>)[] = []

/** Has something that all files of a process share closed after the last of them. */
export function atProcessEnd(undo: () => Promise<void>): void {
  undoings.push(undo)
}

export async function endProcess(): Promise<void> {
  for (const undo of undoings.splice(0).reverse()) await undo()
}
