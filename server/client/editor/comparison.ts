import { type Chunk, getChunks, MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, StateEffect, StateField } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { createButton } from '../button.ts'
import { textExtensions, textTheme } from './text-editor.ts'

const underlined = (color: string) => ({
  background: 'none',
  textDecoration: `underline 2px ${color}`,
  textUnderlineOffset: '0.2em',
})

const sides = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--danger-tint)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--good-tint)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': underlined('var(--danger)'),
  '&.cm-merge-b .cm-changedText': underlined('var(--good)'),
  '.cm-gutters': { backgroundColor: 'transparent', border: '0' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--danger)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--good)' },
  '.cm-collapsedLines': {
    padding: '0.25rem 1.25rem',
    color: 'var(--soft)',
    background: 'var(--sunken)',
    fontSize: 'var(--small)',
    '&:before, &:after': { content: 'none' },
  },
  '.cm-merge-revert > div': { position: 'absolute', display: 'grid', width: '100%' },
  '.cm-merge-revert > div > button': { position: 'static' },
  '.cm-deletedChunk': {
    padding: '0 1.25rem 0.5rem',
    '& .cm-chunkButtons': { position: 'static', display: 'flex', gap: '0.5rem', padding: '0.5rem 0' },
    '& button': {
      margin: '0',
      color: 'var(--ink)',
      background: 'var(--sheet)',
      border: '1px solid var(--field)',
      borderRadius: 'var(--radius)',
    },
  },
})

export interface Comparison {
  text(): string
  /** Conflicts left without a choice or an edit. */
  unresolved(): number
  close(): void
}

/** @param texts `remote` is read-only, `local` editable; `name` is the author of `remote` */
export function openComparison(
  parent: HTMLElement,
  texts: { remote: string; local: string; name: string; nonce: string; isConflict: boolean },
): Comparison {
  const { remote, local, name, nonce, isConflict } = texts
  const isNarrow = matchMedia('(max-width: 56rem)').matches
  return isNarrow ? openUnified(parent, texts) : openSideBySide()

  function openSideBySide(): Comparison {
    const headings = document.createElement('div')
    headings.className = 'editor-sides'
    headings.append(createHeading(`${name}’s version`), createHeading('Your version'))
    const view = new MergeView({
      parent,
      a: {
        doc: remote,
        extensions: [
          textTheme(nonce),
          sides,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': `${name}’s version`, tabindex: '0' }),
        ],
      },
      b: {
        doc: local,
        extensions: [textTheme(nonce), sides, conflictTracking, textExtensions('Your version')],
      },
      revertControls: 'a-to-b',
      renderRevertControl: () => createChunkControls((index) => keepLocal(view, index)),
      collapseUnchanged: { margin: 3, minSize: 6 },
    })
    parent.prepend(headings)
    if (isConflict) markConflicts(view.b, view.chunks)
    view.b.focus()
    return {
      text: () => view.b.state.doc.toString(),
      unresolved: () => unresolvedCount(view.b.state),
      close() {
        view.destroy()
        headings.remove()
      },
    }
  }
}

function openUnified(
  parent: HTMLElement,
  {
    remote,
    local,
    name,
    nonce,
    isConflict,
  }: { remote: string; local: string; name: string; nonce: string; isConflict: boolean },
): Comparison {
  const headings = createHeading(`Your text. What ${name} wrote instead is in red.`)
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: local,
      extensions: [
        textTheme(nonce),
        sides,
        conflictTracking,
        textExtensions('Your version'),
        unifiedMergeView({
          original: remote,
          mergeControls(type, action) {
            const button = actionButton(type === 'accept' ? 'Keep mine' : 'Use theirs', null)
            button.addEventListener('click', (event) => {
              view.dispatch({ effects: chooseAt.of(view.posAtDOM(button)) })
              action(event)
            })
            return button
          },
          collapseUnchanged: { margin: 3, minSize: 6 },
        }),
      ],
    }),
  })
  parent.prepend(headings)
  if (isConflict) markConflicts(view, getChunks(view.state)?.chunks ?? [])
  return {
    text: () => view.state.doc.toString(),
    unresolved: () => unresolvedCount(view.state),
    close() {
      view.destroy()
      headings.remove()
    },
  }
}

function markConflicts(view: EditorView, chunks: readonly Chunk[]): void {
  const ranges = chunks.map(({ fromB, toB }) => ({ from: fromB, to: toB }))
  view.dispatch({ effects: setConflicts.of(ranges) })
}

function keepLocal({ a, b, chunks }: MergeView, index: number): void {
  const chunk = chunks[index]
  if (!chunk) return
  b.dispatch({ effects: chooseAt.of(chunk.fromB) })
  const [remoteEnd, localEnd] = [
    Math.min(chunk.toA, a.state.doc.length),
    Math.min(chunk.toB, b.state.doc.length),
  ]
  a.dispatch({
    changes: { from: chunk.fromA, to: remoteEnd, insert: b.state.sliceDoc(chunk.fromB, localEnd) },
  })
}

function createChunkControls(onKeep: (index: number) => void): HTMLElement {
  const element = document.createElement('div')
  const keepButton = actionButton('Keep mine', '✓')
  // The view treats any press in this column as a choice of theirs.
  keepButton.addEventListener('mousedown', (event) => event.stopPropagation())
  keepButton.addEventListener('click', () => onKeep(Number(element.dataset.chunk)))
  element.append(actionButton('Use theirs', '→'), keepButton)
  return element
}

function createHeading(text: string): HTMLElement {
  const element = document.createElement('h2')
  element.textContent = text
  return element
}

/** @param icon replaces the words where space is short */
function actionButton(label: string, icon: string | null): HTMLButtonElement {
  const button = createButton(icon ?? label, 'small second')
  if (icon !== null) {
    button.ariaLabel = label
    button.title = label
    // The view handles mouse events only, so keyboard clicks are translated.
    button.addEventListener('click', ({ detail }) => {
      if (detail === 0) button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))
    })
  }
  return button
}

interface Range {
  from: number
  to: number
}

const setConflicts = StateEffect.define<Range[]>()

const chooseAt = StateEffect.define<number>()

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

const conflictTracking = unresolved.extension

const unresolvedCount = (state: EditorState): number => state.field(unresolved).length
