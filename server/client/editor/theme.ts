import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export const editorTheme: Extension = [
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
