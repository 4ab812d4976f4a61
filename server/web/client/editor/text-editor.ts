import { closeCompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, Transaction } from '@codemirror/state'
import { dropCursor, EditorView, highlightSpecialChars, keymap, placeholder } from '@codemirror/view'
import { code, heading, link, list, marked } from './formatting.ts'
import { hunksBetween } from './hunks.ts'
import { markdown } from './language.ts'
import { indentList, outdentList } from './list-indent.ts'
import { editorTheme } from './theme.ts'

export const formatCommands = {
  bold: marked('**'),
  italic: marked('*'),
  heading,
  list,
  code,
  link,
}

/** What every text is shown with, also those that are compared. @param nonce lets its styles in */
export const textTheme = (nonce: string): Extension => [
  EditorView.cspNonce.of(nonce),
  EditorView.lineWrapping,
  EditorView.perLineTextDirection.of(true),
  highlightSpecialChars(),
  markdown(),
  editorTheme,
]

export const textExtensions = (label: string): Extension => [
  history(),
  dropCursor(),
  search({ top: true }),
  keymap.of([
    { key: 'Mod-b', run: formatCommands.bold },
    { key: 'Mod-i', run: formatCommands.italic },
    { key: 'Mod-k', run: formatCommands.link },
    { key: 'Escape', run: closeCompletion },
    ...completionKeymap,
    // After Escape, Tab moves the focus, also in a list.
    { key: 'Tab', run: indentList, shift: outdentList },
    ...historyKeymap,
    ...searchKeymap,
    ...defaultKeymap,
  ]),
  EditorView.contentAttributes.of({
    'aria-label': label,
    'aria-description': 'In a list, Tab indents. Press Escape, then Tab, to leave the text.',
    // What scrolls must be reached by a key; not every tool takes what can be edited for that.
    tabindex: '0',
    spellcheck: 'true',
    autocorrect: 'on',
    autocapitalize: 'sentences',
  }),
]

export function openTextEditor(
  parent: HTMLElement,
  options: { text: string; nonce: string; hint: string; extensions: Extension },
): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        options.extensions,
        textTheme(options.nonce),
        textExtensions('Text'),
        placeholder(options.hint),
      ],
    }),
  })
}

/**
 * Replaces a text line by line: cursor and scroll position stay.
 * @param isOwn whether undo reverts it; others' changes are not undone
 */
export function replaceText(view: EditorView, text: string, isOwn: boolean): void {
  const { doc } = view.state
  const before = doc.toString()
  if (before === text) return
  const lines = before.split('\n')
  const changes = hunksBetween(lines, text.split('\n')).map(({ from, to, lines: inserted }) => {
    const isAtEnd = from === lines.length
    const start = isAtEnd ? doc.length : doc.line(from + 1).from
    const end = to === lines.length ? doc.length : doc.line(to + 1).from
    const insert = inserted.map((line) => `${line}\n`).join('')
    // The last line has no end: that of the line before it comes or goes in its place.
    if (to < lines.length) return { from: start, to: end, insert }
    if (isAtEnd) return { from: start, to: end, insert: `\n${inserted.join('\n')}` }
    return inserted.length > 0 || from === 0
      ? { from: start, to: end, insert: inserted.join('\n') }
      : { from: start - 1, to: end, insert: '' }
  })
  // What was typed just before is not undone along with it.
  view.dispatch({
    changes,
    annotations: isOwn ? isolateHistory.of('full') : Transaction.addToHistory.of(false),
  })
}
