import {
  type ChangeSpec,
  EditorSelection,
  EditorState,
  type Extension,
  RangeSetBuilder,
  type Text,
  Transaction,
  type TransactionSpec,
} from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  Direction,
  type EditorView,
  type KeyBinding,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'

/** Whether a position is within `\r\n`, where nothing may be inserted. */
const isWithinEnd = (doc: Text, at: number): boolean =>
  at > 0 && at < doc.length && doc.sliceString(at - 1, at + 1) === '\r\n'

/** The line's ending; for the last line, the one before. */
function endAt({ doc }: EditorState, position: number): string {
  const line = doc.lineAt(position)
  const ended = line.number < doc.lines || line.number === 1 ? line : doc.line(line.number - 1)
  return ended.text.endsWith('\r') ? '\r\n' : '\n'
}

/** Treats `\r\n` as one character in changes. @returns null if they need no correction */
function withWholeEnds({ startState, changes }: Transaction): ChangeSpec[] | null {
  const { doc } = startState
  const whole: { from: number; to: number; insert: string }[] = []
  let isOther = false
  changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
    const from = isWithinEnd(doc, fromA) ? fromA - 1 : fromA
    const isEndAlone = toA - fromA === 1 && inserted.length === 0
    const to = Math.max(from, isWithinEnd(doc, toA) ? toA + (isEndAlone ? 1 : -1) : toA)
    const text = inserted.toString()
    const insert = text.replace(/\r\n?|\n/g, endAt(startState, from))
    isOther ||= from !== fromA || to !== toA || insert !== text
    whole.push({ from, to, insert })
  })
  return isOther ? whole : null
}

function withCursorsBefore({ newDoc, newSelection }: Transaction): EditorSelection | null {
  const before = (at: number) => (isWithinEnd(newDoc, at) ? at - 1 : at)
  if (newSelection.ranges.every(({ anchor, head }) => before(anchor) === anchor && before(head) === head))
    return null
  const ranges = newSelection.ranges.map(({ anchor, head }) =>
    EditorSelection.range(before(anchor), before(head)),
  )
  return EditorSelection.create(ranges, newSelection.mainIndex)
}

/** Leaves others' changes and undo alone: those are right already. */
function filtered(transaction: Transaction): TransactionSpec | readonly TransactionSpec[] {
  if (transaction.annotation(Transaction.remote) || transaction.isUserEvent('input.restore'))
    return transaction
  const { startState, effects, scrollIntoView } = transaction
  const changes = transaction.docChanged ? withWholeEnds(transaction) : null
  if (changes) {
    const userEvent = transaction.annotation(Transaction.userEvent)
    const selection = startState.selection.map(startState.changes(changes), 1)
    return { changes, selection, effects, scrollIntoView, ...(userEvent !== undefined && { userEvent }) }
  }
  if (!transaction.docChanged && !transaction.selection) return transaction
  const selection = withCursorsBefore(transaction)
  return selection ? [transaction, { selection, sequential: true }] : transaction
}

const hidden = Decoration.replace({})

class CarriageReturns {
  decorations: DecorationSet

  constructor(view: EditorView) {
    this.decorations = this.find(view)
  }

  update({ view, docChanged, viewportChanged }: ViewUpdate): void {
    if (docChanged || viewportChanged) this.decorations = this.find(view)
  }

  private find({ state: { doc }, visibleRanges }: EditorView): DecorationSet {
    const decorations = new RangeSetBuilder<Decoration>()
    for (const { from, to } of visibleRanges) {
      for (let at = from; at <= to; ) {
        const line = doc.lineAt(at)
        if (line.text.endsWith('\r') && line.number < doc.lines) decorations.add(line.to - 1, line.to, hidden)
        at = line.to + 1
      }
    }
    return decorations.finish()
  }
}

/** Skips a whole `\r\n`: the filter would move a cursor between them back. */
function moveOverEnd(view: EditorView, isRight: boolean, isExtending: boolean): boolean {
  const { doc, selection } = view.state
  const { anchor, head, empty } = selection.main
  const isForward = isRight === (view.textDirectionAt(head) === Direction.LTR)
  if (!isForward || !isWithinEnd(doc, head + 1) || (!isExtending && !empty)) return false
  const next = head + 2
  view.dispatch({
    selection: { anchor: isExtending ? anchor : next, head: next },
    scrollIntoView: true,
    userEvent: 'select',
  })
  return true
}

const arrow = (key: string, isRight: boolean): KeyBinding => ({
  key,
  run: (view) => moveOverEnd(view, isRight, false),
  shift: (view) => moveOverEnd(view, isRight, true),
})

/** Keeps existing line ends; new lines get the ending of their neighbours. */
export const lineEnds: Extension = [
  EditorState.transactionFilter.of(filtered),
  ViewPlugin.fromClass(CarriageReturns, { decorations: ({ decorations }) => decorations }),
  keymap.of(
    ['ArrowRight', 'Ctrl-ArrowRight', 'Alt-ArrowRight', 'ArrowLeft', 'Ctrl-ArrowLeft', 'Alt-ArrowLeft'].map(
      (key) => arrow(key, key.endsWith('Right')),
    ),
  ),
]
