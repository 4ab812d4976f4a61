import { closeCompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands'
import { markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown'
import { HighlightStyle, Language, LanguageSupport, syntaxHighlighting } from '@codemirror/language'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, Prec, Text, Transaction } from '@codemirror/state'
import { dropCursor, EditorView, highlightSpecialChars, keymap, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { BlockContext, Line, MarkdownConfig, MarkdownParser } from '@lezer/markdown'
import { lineEnds } from './carriage-returns.ts'
import { diffTexts } from './difference.ts'
import { code, heading, link, list, toggleMark } from './formatting.ts'
import { indentList, outdentList } from './list-indent.ts'
import { mentionNames } from './mention-names.ts'

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

const fence = /^---[ \t]*$/

/** Markdown alone would parse frontmatter as a heading. */
const frontmatter: MarkdownConfig = {
  defineNodes: [{ name: 'Frontmatter', block: true, style: tags.meta }],
  parseBlock: [
    {
      name: 'Frontmatter',
      before: 'HorizontalRule',
      parse(context: BlockContext, line: Line) {
        if (context.lineStart !== 0 || !fence.test(line.text)) return false
        while (context.nextLine()) {
          if (!fence.test(line.text)) continue
          context.nextLine()
          break
        }
        context.addElement(context.elt('Frontmatter', 0, context.prevLineEnd()))
        return true
      },
    },
  ],
}

/** GitHub's markdown, without highlighting in code: its languages are larger than all other scripts. */
function markdown(): LanguageSupport {
  const parser = (markdownLanguage.parser as MarkdownParser).configure(frontmatter)
  const language = new Language(markdownLanguage.data, parser, [], 'markdown')
  return new LanguageSupport(language, [Prec.high(keymap.of(markdownKeymap))])
}

const editorTheme: Extension = [
  EditorView.theme({
    '&': { color: 'inherit', backgroundColor: 'transparent', fontSize: '1.0625rem' },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': { fontFamily: 'inherit', lineHeight: '1.65' },
    '.cm-content': { caretColor: 'var(--ink)', padding: '1rem 0' },
    '.cm-line': { padding: '0 1.25rem' },
    '.cm-placeholder': { color: 'var(--soft)' },
    '.cm-cursor': { borderLeftColor: 'var(--ink)' },
    '.cm-dropCursor': { borderLeftColor: 'var(--accent)' },
    '.cm-tooltip': {
      color: 'var(--ink)',
      backgroundColor: 'var(--sheet)',
      border: '1px solid var(--line)',
      borderRadius: 'var(--radius)',
      boxShadow: 'var(--shadow)',
    },
    '.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxWidth: 'min(30rem, 90vw)' },
    '.cm-completionLabel': { unicodeBidi: 'isolate' },
    '.cm-tooltip-autocomplete > ul > li': { padding: '0.375rem 0.75rem' },
    '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
      color: 'var(--accent-ink)',
      backgroundColor: 'var(--accent)',
    },
    '.cm-panels': { color: 'inherit', backgroundColor: 'var(--sunken)' },
    '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
    '.cm-textfield': { color: 'inherit', backgroundColor: 'var(--paper)', border: '1px solid var(--field)' },
    '.cm-button': { color: 'inherit', background: 'var(--sheet)', border: '1px solid var(--field)' },
    '.cm-searchMatch': { backgroundColor: 'var(--warn-tint)' },
    '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-tint)', outline: '1px solid var(--accent)' },
    '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.8' },
    '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '650' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.heading, fontWeight: '650', letterSpacing: '-0.01em' },
      { tag: tags.heading1, fontSize: '1.3em', fontWeight: '650', letterSpacing: '-0.01em' },
      { tag: tags.heading2, fontSize: '1.12em', fontWeight: '650', letterSpacing: '-0.01em' },
      { tag: tags.strong, fontWeight: '650' },
      { tag: tags.emphasis, fontStyle: 'italic' },
      { tag: tags.strikethrough, textDecoration: 'line-through' },
      { tag: tags.monospace, fontFamily: 'var(--mono)', fontSize: '0.92em' },
      { tag: tags.meta, fontFamily: 'var(--mono)', fontSize: '0.875em', color: 'var(--soft)' },
      { tag: tags.link, color: 'var(--accent)' },
      { tag: [tags.url, tags.processingInstruction, tags.contentSeparator], color: 'var(--soft)' },
      { tag: [tags.quote, tags.comment], color: 'var(--soft)' },
    ]),
  ),
]
