import { closeCompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, Text, Transaction } from '@codemirror/state'
import { dropCursor, EditorView, highlightSpecialChars, keymap, placeholder } from '@codemirror/view'
import { lineEnds } from './carriage-returns.ts'
import { diffTexts } from './difference.ts'
import { code, heading, link, list, toggleMark } from './formatting.ts'
import { markdown } from './language.ts'
import { indentList, outdentList } from './list-indent.ts'
import { mentionNames } from './mention-names.ts'
import { editorTheme } from './theme.ts'

export const formatCommands = {
  bold: toggleMark('**'),
  italic: toggleMark('*'),
  heading,
  list,
  code,
  link,
}

/** Invisible characters, except the carriage return, which belongs to a line end. */
const specialChars =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be shown
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028\u2029\u202d\u202e\u2066\u2067\u2069\ufeff\ufff9-\ufffc]/g

/** Also used for comparisons. @param nonce permits its styles */
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
    // After Escape, Tab moves the focus, in a list too.
    { key: 'Tab', run: indentList, shift: outdentList },
    ...historyKeymap,
    ...searchKeymap,
    ...defaultKeymap,
  ]),
  EditorView.contentAttributes.of({
    'aria-label': label,
    'aria-description': 'In a list, Tab indents. Press Escape, then Tab, to leave the text.',
    // Scrollable elements must be focusable; some checkers do not accept contenteditable for that.
    tabindex: '0',
    spellcheck: 'true',
    autocorrect: 'on',
    autocapitalize: 'sentences',
  }),
]

/** Browsers keep an unfocused selection at its place on the screen, though the text may have changed. */
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
        // A carriage return is a character of the text, as in the file.
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

/** Replaces only differences, keeping cursor and scroll position. @param isOwn whether undo reverts it */
export function replaceText(view: EditorView, text: string, isOwn: boolean): void {
  const { doc } = view.state
  const changes = diffTexts(doc, Text.of(text.split('\n')))
  if (changes.empty) return
  // Otherwise undo would also revert what was typed just before.
  view.dispatch({
    changes,
    annotations: isOwn ? isolateHistory.of('full') : Transaction.addToHistory.of(false),
  })
}
