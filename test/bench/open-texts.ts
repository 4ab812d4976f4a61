import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { LiveEditor } from '../support/live-editor.ts'
import { withBenchWorkspace } from './bench-workspace.ts'
import { inspected, usedBytes } from './heap.ts'
import { documentsFor, metric, signedIn, type Target } from './live-texts.ts'
import { type Bench, times } from './measured.ts'

const openTexts = 20
const openBytes = 100_000
/** As a multiple of the length of the open text. */
const boundMemory = 5

/** Opens the texts once before measuring, to fill the caches of fixed size. */
export const memory: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const server = await bench.serve(inspected)
    const log = join(bench.home, '..', 'server.log')
    const target = await signedIn(bench, server)
    const paths = await documentsFor(bench, server, openTexts, openBytes)
    const openAll = () => openAndType(paths, target)
    const closeAll = async (editors: LiveEditor[]) => {
      for (const editor of editors) editor.disconnect()
      await eventually(async () => (await metric(bench, server, 'workroom_live_documents')) === 0)
    }
    await closeAll(await openAll())
    const before = await usedBytes(log)
    const editors = await openAll()
    const opened = await usedBytes(log)
    await closeAll(editors)
    const after = await usedBytes(log)
    const each = (opened - before) / openTexts
    const left = Math.max(0, after - before) / openTexts
    return [
      {
        what: `Memory of a text of 100 kB that is open (after the last has left: ${kilobytes(left)})`,
        workroom: kilobytes(each),
        against: kilobytes(openBytes),
        ratio: times(each / openBytes),
        target: `≤ ${boundMemory}, and a tenth after`,
        isMet: each <= boundMemory * openBytes && left <= each / 10,
      },
    ]
  })

/** Each editor types a word and deletes it, so that nothing is saved. */
async function openAndType(
  paths: string[],
  { url, signin }: Target & { url: string },
): Promise<LiveEditor[]> {
  const editors = paths.map((path) => new LiveEditor({ url }, path.split('/').at(-1)!, signin!))
  for (const editor of editors) {
    await editor.connect()
    for (const letter of 'Typed.') editor.type(letter)
    await eventually(() => editor.isConfirmed || null)
    editor.type('', editor.text.length - 'Typed.'.length, editor.text.length)
    await eventually(() => editor.isConfirmed || null)
  }
  return editors
}

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`
