import type { Extension } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view'

class Name extends WidgetType {
  constructor(private readonly name: string) {
    super()
  }

  override eq(other: Name): boolean {
    return other.name === this.name
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('span')
    element.className = 'cm-mention'
    element.textContent = `@${this.name}`
    return element
  }
}

const mentions = new MatchDecorator({
  regexp: /@\[((?:[^\]\\\n]|\\.){1,200})\]\((?:mem_\w+|__\w+__)\)/g,
  decoration: ([, name]) => Decoration.replace({ widget: new Name(name!.replace(/\\(.)/g, '$1')) }),
})

/** Shows mentions by name, as a read does. The file also contains the member's id. */
export const mentionNames: Extension = [
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet

      constructor(view: EditorView) {
        this.decorations = mentions.createDeco(view)
      }

      update(update: ViewUpdate): void {
        this.decorations = mentions.updateDeco(update, this.decorations)
      }
    },
    {
      decorations: ({ decorations }) => decorations,
      provide: (plugin) =>
        EditorView.atomicRanges.of((view) => view.plugin(plugin)?.decorations ?? Decoration.none),
    },
  ),
  EditorView.theme({ '.cm-mention': { color: 'var(--accent)' } }),
]
