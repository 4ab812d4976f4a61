import { type Chunk, getChunks, MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { chooseAt, conflictsIn, setConflicts, unresolvedCount } from './conflict-choices.ts'
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

/** @param texts `theirs` is read-only, `mine` editable; `name` is the author of `theirs` */
export function openComparison(
  parent: HTMLElement,
  texts: { theirs: string; mine: string; name: string; nonce: string; isConflict: boolean },
): Comparison {
  const { theirs, mine, name, nonce, isConflict } = texts
  const isNarrow = matchMedia('(max-width: 56rem)').matches
  return isNarrow ? within(parent, texts) : beside()

  function beside(): Comparison {
    const heads = document.createElement('div')
    heads.className = 'editor-sides'
    heads.append(head(`${name}’s version`), head('Your version'))
    const view = new MergeView({
      parent,
      a: {
        doc: theirs,
        extensions: [
          textTheme(nonce),
          sides,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': `${name}’s version`, tabindex: '0' }),
        ],
      },
      b: { doc: mine, extensions: [textTheme(nonce), sides, conflictsIn, textExtensions('Your version')] },
      revertControls: 'a-to-b',
      renderRevertControl: () => choices((index) => keepMine(view, index)),
      collapseUnchanged: { margin: 3, minSize: 6 },
    })
    parent.prepend(heads)
    if (isConflict) markConflicts(view.b, view.chunks)
    view.b.focus()
    return {
      text: () => view.b.state.doc.toString(),
      unresolved: () => unresolvedCount(view.b.state),
      close() {
        view.destroy()
        heads.remove()
      },
    }
  }
}

function within(
  parent: HTMLElement,
  {
    theirs,
    mine,
    name,
    nonce,
    isConflict,
  }: { theirs: string; mine: string; name: string; nonce: string; isConflict: boolean },
): Comparison {
  const heads = head(`Your text. What ${name} wrote instead is in red.`)
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: mine,
      extensions: [
        textTheme(nonce),
        sides,
        conflictsIn,
        textExtensions('Your version'),
        unifiedMergeView({
          original: theirs,
          mergeControls(type, action) {
            const button = control(type === 'accept' ? 'Keep mine' : 'Use theirs', null)
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
  parent.prepend(heads)
  if (isConflict) markConflicts(view, getChunks(view.state)?.chunks ?? [])
  return {
    text: () => view.state.doc.toString(),
    unresolved: () => unresolvedCount(view.state),
    close() {
      view.destroy()
      heads.remove()
    },
  }
}

function markConflicts(view: EditorView, chunks: readonly Chunk[]): void {
  const ranges = chunks.map(({ fromB, toB }) => ({ from: fromB, to: toB }))
  view.dispatch({ effects: setConflicts.of(ranges) })
}

function keepMine({ a, b, chunks }: MergeView, index: number): void {
  const chunk = chunks[index]
  if (!chunk) return
  b.dispatch({ effects: chooseAt.of(chunk.fromB) })
  const [end, ownEnd] = [Math.min(chunk.toA, a.state.doc.length), Math.min(chunk.toB, b.state.doc.length)]
  a.dispatch({ changes: { from: chunk.fromA, to: end, insert: b.state.sliceDoc(chunk.fromB, ownEnd) } })
}

function choices(keep: (index: number) => void): HTMLElement {
  const made = document.createElement('div')
  const keeping = control('Keep mine', '✓')
  // The view treats any press in this column as a choice of theirs.
  keeping.addEventListener('mousedown', (event) => event.stopPropagation())
  keeping.addEventListener('click', () => keep(Number(made.dataset.chunk)))
  made.append(control('Use theirs', '→'), keeping)
  return made
}

function head(words: string): HTMLElement {
  const made = document.createElement('h2')
  made.textContent = words
  return made
}

/** @param sign replaces the words where space is short */
function control(words: string, sign: string | null): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'small second'
  button.textContent = sign ?? words
  if (sign !== null) {
    button.ariaLabel = words
    button.title = words
    // The view handles mouse events only, so keyboard clicks are translated.
    button.addEventListener('click', ({ detail }) => {
      if (detail === 0) button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))
    })
  }
  return button
}
