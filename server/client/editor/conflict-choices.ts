import { type EditorState, StateEffect, StateField } from '@codemirror/state'

interface Range {
  from: number
  to: number
}

export const setConflicts = StateEffect.define<Range[]>()

export const chooseAt = StateEffect.define<number>()

/** Conflicts still open. An edit within one resolves it, too. */
const unresolved = StateField.define<readonly Range[]>({
  create: () => [],
  update(ranges, transaction) {
    const { changes, effects } = transaction
    let remaining = ranges
      .filter(({ from, to }) => !changes.touchesRange(from, to))
      .map(({ from, to }) => ({ from: changes.mapPos(from, -1), to: changes.mapPos(to, 1) }))
    for (const effect of effects) {
      if (effect.is(setConflicts)) remaining = effect.value
      if (effect.is(chooseAt))
        remaining = remaining.filter(({ from, to }) => effect.value < from || effect.value > to)
    }
    return remaining
  },
})

export const conflictTracking = unresolved.extension

export const unresolvedCount = (state: EditorState): number => state.field(unresolved).length
