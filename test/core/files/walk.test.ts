import t from 'tap'
import { walkFiles } from '../../../core/files/walk.ts'
import type { FileStamp, FolderEntry, Tree } from '../../../data/tree/index.ts'

const stamp: FileStamp = { dev: 1, ino: 1, birthtimeMs: 1, size: 1, mtimeMs: 1, ctimeMs: 1, uid: 1 }

/** A tree that only lists folders. */
const treeOf = (entries: (folder: string) => Iterable<FolderEntry>) => ({ entries }) as unknown as Tree

function* files(count: number, nameOf = (n: number) => `${n}.txt`): Generator<FolderEntry> {
  for (let n = 0; n < count; n++) yield { name: nameOf(n), stat: { kind: 'file', stamp } }
}

t.test('at most 5,000 files are listed, with a mark that there are more', async (t) => {
  const all = await walkFiles(
    treeOf(() => files(5000)),
    'files',
  )
  t.match([all.files.length, all.isCut], [5000, false])
  const some = await walkFiles(
    treeOf(() => files(1_000_000)),
    'files',
  )
  t.match([some.files.length, some.isCut], [5000, true])
})

t.test('ignored names and very deep folders cannot prolong the walk for ever', async (t) => {
  const ignored = treeOf(() => files(1_000_000, (n) => `.${n}`))
  t.strictSame(await walkFiles(ignored, 'files'), { files: [], isCut: true })
  const bottomless = treeOf(function* () {
    yield { name: 'a', stat: { kind: 'skipped', reason: 'folder' } }
    yield* files(1)
  })
  const { files: found, isCut } = await walkFiles(bottomless, 'files')
  t.strictSame([found.length, found.at(-1)!.path, isCut], [8, 'a/a/a/a/a/a/a/0.txt', false])
})

t.test('the walk yields to other work', async (t) => {
  let turns = 0
  const ticking = setInterval(() => turns++, 0)
  const slowly = treeOf(function* () {
    for (const entry of files(10)) {
      const endMs = performance.now() + 2
      while (performance.now() < endMs);
      yield entry
    }
  })
  await walkFiles(slowly, 'files')
  clearInterval(ticking)
  t.ok(turns > 1, `${turns} turns`)
})
