import { EditorSelection, type Extension, StateEffect, StateField } from '@codemirror/state'
import { EditorView, type LayerMarker, layer, RectangleMarker, type ViewUpdate } from '@codemirror/view'

export interface Peer {
  clientId: string
  member: { id: string; name: string; kind: string }
  /** Anchor and head of each selection. */
  ranges: readonly (readonly [number, number])[]
}

/** Readable as text on white, and visible on light and dark sheets. */
const colors = ['#1f78c8', '#b45309', '#2f8132', '#a347ba', '#d6336c', '#0f7f9f', '#7c5cd6']

/** A member's color is stable, unless another member here already has it. */
export function colorsOf(peers: readonly Peer[]): Map<string, string> {
  const assigned = new Map<string, string>()
  const ids = new Set(peers.map(({ member }) => member.id))
  for (const id of [...ids].sort()) {
    const preferred = colorIndexOf(id)
    const candidates = [...colors.slice(preferred), ...colors.slice(0, preferred)]
    const taken = new Set(assigned.values())
    assigned.set(id, candidates.find((color) => !taken.has(color)) ?? candidates[0]!)
  }
  return assigned
}

function colorIndexOf(memberId: string): number {
  let sum = 0
  for (const letter of memberId) sum = (sum * 31 + letter.charCodeAt(0)) >>> 0
  return sum % colors.length
}

export const setPeers = StateEffect.define<readonly Peer[]>()

export const peersField = StateField.define<readonly Peer[]>({
  create: () => [],
  update(peers, { effects, changes, docChanged }) {
    const set = effects.find((effect) => effect.is(setPeers))
    if (set) return set.value as readonly Peer[]
    if (!docChanged || peers.length === 0) return peers
    return peers.map((peer) => ({
      ...peer,
      ranges: peer.ranges.map(
        ([anchor, head]) => [changes.mapPos(anchor, 1), changes.mapPos(head, 1)] as const,
      ),
    }))
  },
})

/** Near the right edge, a name is to the left of its cursor. In pixels. */
const nameWidth = 160

class CursorMarker implements LayerMarker {
  private readonly rectangle: RectangleMarker
  private readonly name: string
  private readonly color: string
  private readonly isLeft: boolean

  constructor(
    rectangle: RectangleMarker,
    { name, color, isLeft }: { name: string; color: string; isLeft: boolean },
  ) {
    this.rectangle = rectangle
    this.name = name
    this.color = color
    this.isLeft = isLeft
  }

  draw(): HTMLElement {
    const element = this.rectangle.draw()
    element.dataset.name = this.name
    element.style.setProperty('--peer', this.color)
    if (this.isLeft) element.classList.add('cm-peer-left')
    return element
  }

  eq(other: CursorMarker): boolean {
    return other.name === this.name && other.color === this.color && other.rectangle.eq(this.rectangle)
  }
}

class RangeMarker implements LayerMarker {
  constructor(
    private readonly rectangle: RectangleMarker,
    private readonly color: string,
  ) {}

  draw(): HTMLElement {
    const element = this.rectangle.draw()
    element.style.setProperty('--peer', this.color)
    return element
  }

  eq(other: RangeMarker): boolean {
    return other.color === this.color && other.rectangle.eq(this.rectangle)
  }
}

interface PeerRange {
  name: string
  color: string
  anchor: number
  head: number
}

function peerRangesIn({ state, visibleRanges }: EditorView): PeerRange[] {
  const [from, to] = [visibleRanges[0]?.from ?? 0, visibleRanges.at(-1)?.to ?? 0]
  const peers = state.field(peersField, false) ?? []
  const colors = colorsOf(peers)
  return peers.flatMap(({ member: { id, name }, ranges }) =>
    ranges.flatMap(([anchor, head]) => {
      const isVisible = Math.max(anchor, head) >= from && Math.min(anchor, head) <= to
      return isVisible ? [{ name, color: colors.get(id)!, anchor, head }] : []
    }),
  )
}

const needsDrawing = (update: ViewUpdate): boolean =>
  update.docChanged ||
  update.geometryChanged ||
  update.viewportChanged ||
  update.startState.field(peersField, false) !== update.state.field(peersField, false)

export const peerCursors: Extension = [
  peersField,
  layer({
    above: true,
    class: 'cm-peer-cursors',
    update: needsDrawing,
    markers: (view) =>
      peerRangesIn(view).flatMap(({ name, color, head }) =>
        RectangleMarker.forRange(view, 'cm-peer-cursor', EditorSelection.cursor(head)).map((rectangle) => {
          const isLeft = rectangle.left > view.contentDOM.clientWidth - nameWidth
          return new CursorMarker(rectangle, { name, color, isLeft })
        }),
      ),
  }),
  layer({
    above: false,
    class: 'cm-peer-ranges',
    update: needsDrawing,
    markers: (view) =>
      peerRangesIn(view).flatMap(({ color, anchor, head }) =>
        anchor === head
          ? []
          : RectangleMarker.forRange(view, 'cm-peer-range', EditorSelection.range(anchor, head)).map(
              (rectangle) => new RangeMarker(rectangle, color),
            ),
      ),
  }),
  EditorView.theme({
    '.cm-peer-cursor': { borderLeft: '2px solid var(--peer)', marginLeft: '-1px' },
    '.cm-peer-cursor::after': {
      content: 'attr(data-name)',
      position: 'absolute',
      bottom: '100%',
      left: '-2px',
      maxWidth: '10rem',
      padding: '0 0.375rem',
      overflow: 'hidden',
      color: '#fff',
      backgroundColor: 'var(--peer)',
      borderRadius: '0.25rem',
      fontSize: '0.75rem',
      fontWeight: '600',
      lineHeight: '1.5',
      textOverflow: 'ellipsis',
      whiteSpace: 'nowrap',
      animation: 'cm-peer-name 6s forwards',
    },
    '@keyframes cm-peer-name': { '0%, 80%': { opacity: '1' }, '100%': { opacity: '0' } },
    '.cm-peer-left::after': { right: '0', left: 'auto' },
    '.cm-peer-range': { backgroundColor: 'var(--peer)', opacity: '0.25' },
  }),
]
