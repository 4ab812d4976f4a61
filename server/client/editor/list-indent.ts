import type { EditorState, Line } from '@codemirror/state'
import type { Command } from '@codemirror/view'

interface Item {
  /** Columns before the marker, and before the text. */
  indent: number
  content: number
}

const tabWidth = 4

const columns = (text: string) => text.replaceAll('\t', ' '.repeat(tabWidth)).length

const indentOf = (text: string) => columns(/^[ \t]*/.exec(text)![0])

function itemOf(text: string): Item | null {
  const [whole, indent] = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/.exec(text) ?? []
  return whole === undefined ? null : { indent: columns(indent!), content: columns(whole.trimEnd()) + 1 }
}

/** Nests the selected items under the item above. False outside a list. */
export const indentList: Command = (view) =>
  shiftItems(view, (state, line, { indent }) => {
    const above = findItemAbove(state, line, (item) => item.indent <= indent)
    return above?.indent === indent ? above.content : indent
  })

/** Moves the selected items up a level. False outside a list or at the top level. */
export const outdentList: Command = (view) =>
  shiftItems(view, (state, line, { indent }) => {
    if (indent === 0) return null
    return findItemAbove(state, line, (item) => item.indent < indent)?.indent ?? 0
  })

/** @param target the first item's new indent; null leaves Tab to other commands */
function shiftItems(
  { state, dispatch }: Parameters<Command>[0],
  target: (state: EditorState, line: Line, item: Item) => number | null,
): boolean {
  const { from, to } = state.selection.main
  const first = state.doc.lineAt(from)
  const item = itemOf(first.text)
  const indent = item && target(state, first, item)
  if (!item || indent === null) return false
  const shift = indent - item.indent
  const changes = []
  for (let number = first.number; number <= lastLine(state, to, item); number++) {
    const line = state.doc.line(number)
    if (line.text.trim() === '') continue
    const whitespace = /^[ \t]*/.exec(line.text)![0]
    const insert = ' '.repeat(Math.max(0, columns(whitespace) + shift))
    changes.push({ from: line.from, to: line.from + whitespace.length, insert })
  }
  if (shift !== 0) dispatch(state.update({ changes, userEvent: 'input.indent', scrollIntoView: true }))
  return true
}

function findItemAbove(state: EditorState, { number }: Line, matches: (item: Item) => boolean): Item | null {
  for (let above = number - 1; above > 0; above--) {
    const { text } = state.doc.line(above)
    const item = itemOf(text)
    if (item && matches(item)) return item
    if (!item && text.trim() !== '' && indentOf(text) === 0) return null
  }
  return null
}

/** Includes lines nested in the last selected item. */
function lastLine(state: EditorState, to: number, first: Item): number {
  const { number } = state.doc.lineAt(to)
  let last = number
  for (let below = number + 1; below <= state.doc.lines; below++) {
    const { text } = state.doc.line(below)
    if (text.trim() === '') continue
    if (indentOf(text) <= first.indent) break
    last = below
  }
  return last
}
