import { startEditor } from '../editor/editor.ts'

export function start(): Promise<void> {
  return startEditor(document.querySelector('.editor')!)
}
