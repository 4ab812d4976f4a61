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
const isWithinLineEnd = (doc: Text, at: number): boolean =>
  at > 0 && at < doc.length && doc.sliceString(at - 1, at + 1) === '\r\n'

/** The line's ending; for the last line, the one before. */
function lineEndAt({ doc }: EditorState, position: number): string {
  const line = doc.lineAt(position)
  const endedLine = line.number < doc.lines || line.number === 1 ? line : doc.line(line.number - 1)
  return endedLine.text.endsWith('\r') ? '\r\n' : '\n'
}

/** Treats `\r\n` as one character in changes. @returns null if they need no correction */
function correctLineEnds({ startState, changes }: Transaction): ChangeSpec[] | null {
  const { doc } = startState
  const corrected: { from: number; to: number; insert: string }[] = []
  let needsCorrection = false
  changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
    const from = isWithinLineEnd(doc, fromA) ? fromA - 1 : fromA
    const isEndAlone = toA - fromA === 1 && inserted.length === 0
    const to = Math.max(from, isWithinLineEnd(doc, toA) ? toA + (isEndAlone ? 1 : -1) : toA)
    const text = inserted.toString()
    const insert = text.replace(/\r\n?|\n/g, lineEndAt(startState, from))
    needsCorrection ||= from !== fromA || to !== toA || insert !== text
    corrected.push({ from, to, insert })
  })
  return needsCorrection ? corrected : null
}

function moveCursorsOutOfLineEnds({ newDoc, newSelection }: Transaction): EditorSelection | null {
  const outside = (at: number) => (isWithinLineEnd(newDoc, at) ? at - 1 : at)
  if (newSelection.ranges.every(({ anchor, head }) => outside(anchor) === anchor && outside(head) === head))
    return null
  const ranges = newSelection.ranges.map(({ anchor, head }) =>
    EditorSelection.range(outside(anchor), outside(head)),
  )
  return EditorSelection.create(ranges, newSelection.mainIndex)
}

/** Leaves others' changes and undo alone: those are right already. */
function filterTransaction(transaction: Transaction): TransactionSpec | readonly TransactionSpec[] {
  if (transaction.annotation(Transaction.remote) || transaction.isUserEvent('input.restore'))
    return transaction
  const { startState, effects, scrollIntoView } = transaction
  const changes = transaction.docChanged ? correctLineEnds(transaction) : null
  if (changes) {
    const userEvent = transaction.annotation(Transaction.userEvent)
    const selection = startState.selection.map(startState.changes(changes), 1)
    return { changes, selection, effects, scrollIntoView, ...(userEvent !== undefined && { userEvent }) }
  }
  if (!transaction.docChanged && !transaction.selection) return transaction
  const selection = moveCursorsOutOfLineEnds(transaction)
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
function moveOverLineEnd(view: EditorView, isRight: boolean, isExtending: boolean): boolean {
  const { doc, selection } = view.state
  const { anchor, head, empty } = selection.main
  const isForward = isRight === (view.textDirectionAt(head) === Direction.LTR)
  if (!isForward || !isWithinLineEnd(doc, head + 1) || (!isExtending && !empty)) return false
  const next = head + 2
  view.dispatch({
    selection: { anchor: isExtending ? anchor : next, head: next },
    scrollIntoView: true,
    userEvent: 'select',
  })
  return true
}

const arrowBinding = (key: string, isRight: boolean): KeyBinding => ({
  key,
  run: (view) => moveOverLineEnd(view, isRight, false),
  shift: (view) => moveOverLineEnd(view, isRight, true),
})

/** Keeps existing line ends; new lines get the ending of their neighbours. */
export const lineEnds: Extension = [
  EditorState.transactionFilter.of(filterTransaction),
  ViewPlugin.fromClass(CarriageReturns, { decorations: ({ decorations }) => decorations }),
  keymap.of(
    ['ArrowRight', 'Ctrl-ArrowRight', 'Alt-ArrowRight', 'ArrowLeft', 'Ctrl-ArrowLeft', 'Alt-ArrowLeft'].map(
      (key) => arrowBinding(key, key.endsWith('Right')),
    ),
  ),
]
