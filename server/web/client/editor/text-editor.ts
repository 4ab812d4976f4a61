import { closeCompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, Text, Transaction } from '@codemirror/state'
import { dropCursor, EditorView, highlightSpecialChars, keymap, placeholder } from '@codemirror/view'
import { lineEnds } from './carriage-returns.ts'
import { difference } from './difference.ts'
import { code, heading, link, list, marked } from './formatting.ts'
import { markdown } from './language.ts'
import { indentList, outdentList } from './list-indent.ts'
import { mentionNames } from './mention-names.ts'
import { editorTheme } from './theme.ts'

export const formatCommands = {
  bold: marked('**'),
  italic: marked('*'),
  heading,
  list,
  code,
  link,
}

/** Control characters and such as cannot be seen. A carriage return belongs to the end of its line. */
const specialChars =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be shown
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028\u2029\u202d\u202e\u2066\u2067\u2069\ufeff\ufff9-\ufffc]/g

/** What every text is shown with, also those that are compared. @param nonce lets its styles in */
export const textTheme = (nonce: string): Extension => [
  EditorView.cspNonce.of(nonce),
  EditorView.lineWrapping,
  EditorView.perLineTextDirection.of(true),
  highlightSpecialChars({ specialChars }),
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

/**
 * A browser keeps the selection of a text without focus where it was on the screen. When the focus comes back by a key, the
 * cursor is where the editor has it, also if the text has changed meanwhile.
 */
const restoreCursor = EditorView.domEventHandlers({
  focus(_, view) {
    if (!view.dom.matches(':active')) view.focus()
  },
})

export function openTextEditor(
  parent: HTMLElement,
  options: { text: string; nonce: string; hint: string; extensions: Extension },
): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: Text.of(options.text.split('\n')),
      extensions: [
        // A carriage return is a character of the text: the file has it as well.
        EditorState.lineSeparator.of('\n'),
        lineEnds,
        mentionNames,
        restoreCursor,
        options.extensions,
        textTheme(options.nonce),
        textExtensions('Text'),
        placeholder(options.hint),
      ],
    }),
  })
}

/**
 * Replaces a text where it differs: cursor and scroll position stay.
 * @param isOwn whether undo reverts it; others' changes are not undone
 */
export function replaceText(view: EditorView, text: string, isOwn: boolean): void {
  const { doc } = view.state
  const changes = difference(doc, Text.of(text.split('\n')))
  if (changes.empty) return
  // What was typed just before is not undone along with it.
  view.dispatch({
    changes,
    annotations: isOwn ? isolateHistory.of('full') : Transaction.addToHistory.of(false),
  })
}
