import { type ChangeSpec, EditorSelection, type EditorState, type SelectionRange } from '@codemirror/state'
import type { Command } from '@codemirror/view'

/** Toggles a mark around the selection. */
export const toggleMark =
  (mark: string): Command =>
  ({ state, dispatch }) => {
    const change = state.changeByRange((range) => {
      const { from, to } = range
      const outside = state.sliceDoc(from - mark.length, from) + state.sliceDoc(to, to + mark.length)
      if (outside === mark + mark && !isHalfOf(state, range, mark)) {
        const changes = [
          { from: from - mark.length, to: from },
          { from: to, to: to + mark.length },
        ]
        return { changes, range: EditorSelection.range(from - mark.length, to - mark.length) }
      }
      const changes = [
        { from, insert: mark },
        { from: to, insert: mark },
      ]
      return { changes, range: EditorSelection.range(from + mark.length, to + mark.length) }
    })
    dispatch(state.update(change, { userEvent: 'input', scrollIntoView: true }))
    return true
  }

/** `**` is not twice `*`. */
const isHalfOf = (state: EditorState, { from }: SelectionRange, mark: string) =>
  mark.length === 1 &&
  state.sliceDoc(from - 2, from - 1) === mark &&
  state.sliceDoc(from - 3, from - 2) !== mark

const toggleLinePrefix =
  (nextPrefix: (text: string) => string): Command =>
  ({ state, dispatch }) => {
    const changes: ChangeSpec[] = []
    const seen = new Set<number>()
    for (const { from, to } of state.selection.ranges) {
      for (let at = from; at <= to; ) {
        const line = state.doc.lineAt(at)
        if (!seen.has(line.from)) {
          seen.add(line.from)
          const prefix = /^(?:#{1,6} |[-*+] (?:\[[ x]\] )?)?/.exec(line.text)![0]
          changes.push({ from: line.from, to: line.from + prefix.length, insert: nextPrefix(prefix) })
        }
        at = line.to + 1
      }
    }
    dispatch(state.update({ changes, userEvent: 'input' }))
    return true
  }

/** Cycles between text, `##` and `###`. */
export const heading = toggleLinePrefix((prefix) =>
  prefix === '## ' ? '### ' : prefix === '### ' ? '' : '## ',
)

export const list = toggleLinePrefix((prefix) => (/^[-*+] /.test(prefix) ? '' : '- '))

/** Inline code for words, a fenced block for whole or no lines. */
export const code: Command = (view) => {
  const { state, dispatch } = view
  const { from, to, empty } = state.selection.main
  const line = state.doc.lineAt(from)
  if (to <= line.to && !(empty && line.length === 0)) return toggleMark('`')(view)
  const [first, last] = [line.from, state.doc.lineAt(to).to]
  const inside = state.sliceDoc(first, last)
  dispatch(
    state.update({
      changes: { from: first, to: last, insert: `\`\`\`\n${inside}\n\`\`\`` },
      selection: EditorSelection.cursor(first + 4 + inside.length),
      userEvent: 'input',
    }),
  )
  return true
}

/** A selected URL becomes a link's target, other text its label. */
export const link: Command = ({ state, dispatch }) => {
  const change = state.changeByRange(({ from, to }) => {
    const selected = state.sliceDoc(from, to)
    const isAddress = /^(?:https?:\/\/|mailto:|\/)\S+$/.test(selected)
    const insert = isAddress ? `[](${selected})` : `[${selected}](https://)`
    const [start, length] = isAddress ? [1, 0] : [selected.length + 3, 'https://'.length]
    return {
      changes: { from, to, insert },
      range: EditorSelection.range(from + start, from + start + length),
    }
  })
  dispatch(state.update(change, { userEvent: 'input', scrollIntoView: true }))
  return true
}
