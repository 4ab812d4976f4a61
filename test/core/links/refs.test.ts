import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import type { Caller } from '../../../core/access/member.ts'
import { Catalogue } from '../../../core/documents/catalogue/catalogue.ts'
import type { LinksDeps } from '../../../core/links/deps.ts'
import { Refs } from '../../../core/links/refs.ts'
import { documentRecord } from '../documents/document-record.ts'

const count = 20_000

/** A third of the titles begins with "plan", a third has it as a later word, a third has not. */
const titleOf = (n: number) => [`Plan ${n}`, `The plan ${n}`, `Note ${n}`][n % 3]!

function filled() {
  const catalogue = new Catalogue()
  for (let n = 0; n < count; n++) {
    const path = `documents/note-${n}.md`
    // Not in the order of the ids.
    const activityMs = (n * 7919) % count
    catalogue.put(documentRecord({ id: `doc_${n}`, path, title: titleOf(n), activityMs }))
  }
  const project = { id: 'prj_1', slug: 'general' }
  const deps = {
    catalogue,
    projects: { require: () => project, find: () => project },
    pageUrl: (path: string) => path,
  } as unknown as LinksDeps
  return { catalogue, refs: new Refs(deps, () => true) }
}

const caller = { member: {}, scopes: new Set(['*']) } as unknown as Caller

t.test('the best twenty of many matches are found, and other work runs meanwhile', async (t) => {
  const { refs } = filled()
  let isDone = false
  const finding = refs.find(caller, 'general', 'plan').finally(() => {
    isDone = true
  })
  let turns = 0
  while (!isDone) {
    turns++
    await nextTurn()
  }
  t.ok(turns > 3, `${turns} turns`)
  const latest = Array.from({ length: count }, (_, n) => n)
    .filter((n) => n % 3 === 0)
    .sort((one, other) => ((other * 7919) % count) - ((one * 7919) % count))
  t.strictSame(
    (await finding).refs.map(({ title }) => title),
    latest.slice(0, 20).map(titleOf),
  )
})

t.test('a document renamed during a search has its new title, and a deleted one is left out', async (t) => {
  const { catalogue, refs } = filled()
  const [first, second, third] = (await refs.find(caller, 'general', 'plan')).refs
  const find = catalogue.find.bind(catalogue)
  let looks = 0
  catalogue.find = (id) => {
    const record = find(id)
    looks++
    if (looks === count) {
      catalogue.remove(first!.id)
      catalogue.put({ ...find(second!.id)!, title: 'Plan B' })
    }
    return record
  }
  const { refs: found } = await refs.find(caller, 'general', 'plan')
  t.match(found.slice(0, 2), [{ id: second!.id, title: 'Plan B' }, third])
})
