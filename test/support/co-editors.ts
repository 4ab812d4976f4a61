import type { Actor } from './chat.ts'
import { LiveEditor, signInForEditing } from './live-editor.ts'
import type { Sample } from './sample-workspace.ts'

const minLineLength = 24

/** Has others open a document's live text and select words in it. @returns a function that closes it again */
export async function openCoEditors(
  sample: Sample,
  editorPath: string,
  people: readonly Actor[],
): Promise<() => void> {
  if (people.length === 0) return () => {}
  const file = editorPath.replace('/edit/', '/')
  const { text: document } = await sample.request('GET', `/v1/fs${file}.md`)
  const id = /^id: (\S+)$/m.exec(document)![1]!
  const editors: LiveEditor[] = []
  for (const [index, { key }] of people.entries()) {
    const editor = new LiveEditor(sample, id, await signInForEditing(sample, key))
    await editor.connect()
    const { text, version } = editor
    const lines = text.split('\n').filter((line) => line.length >= minLineLength)
    const at = text.indexOf(lines[index]!)
    editor.send({ type: 'selection', version, ranges: [[at + 2, at + 2 + 6 * (index + 1)]] })
    editors.push(editor)
  }
  return () => {
    for (const editor of editors) editor.disconnect()
  }
}
