import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { getPriority, platform } from 'node:os'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { clearFragments } from '../../../core/markdown/fragment-cache.ts'
import { type MarkdownOptions, type MarkdownService, markdownService } from '../../../core/markdown/index.ts'
import { WorkerPool } from '../../../core/markdown/pool.ts'
import type { AnalyseRequest } from '../../../core/markdown/types.ts'
import { decompress } from '../../../data/compression.ts'
import { eventually } from '../../support/eventually.ts'
import { loaderArguments, moduleUrl } from '../../support/run-as-built.ts'
import { ada, presentNames, read, standing, taken, textOf } from './files.ts'

// Of a file whose blocks are cached, no thread parses anything.
t.beforeEach(() => clearFragments())

/** A service with a budget that no busy machine exceeds, unless the test sets one. */
const open = (t: Test, options: MarkdownOptions = {}): MarkdownService => {
  const service = markdownService({ budgetMs: 60_000, maxRunMs: 600_000, minThreads: 1, ...options })
  t.teardown(() => service.close())
  return service
}

const request = (text: string, rest: Partial<AnalyseRequest> = {}): AnalyseRequest => ({
  bytes: Buffer.from(text),
  origin: 'sent',
  people: [ada],
  names: presentNames([ada]),
  before: null,
  ...rest,
})

/** A file that takes many seconds to parse. */
const hostile = (seed = '') => `# Title ${seed}\n\n${'*a_ '.repeat(30_000)}\n`

/** A small file that is too long to be analysed at once on the main thread. */
const forThread = (name: string) => `# ${name}\n\n${`What ${name} says. `.repeat(300)}\n`

t.test('a file analysed on a thread keeps its bytes', async (t) => {
  const service = open(t)
  const text = `---\ntags: [a]\n---\n# T\n\nAsk @Ada.\n\n${forThread('Grace')}`
  const sent = request(text)
  const result = taken(await service.analyse(sent, 'answering'))
  t.equal(textOf(result.stored), text.replace('@Ada', `@[Ada](${ada.id})`))
  t.equal(textOf(service.expand(result.compressed)), textOf(result.stored))
  t.equal(textOf(decompress(result.compressed)), textOf(result.stored))
  t.match(result.revision, /^[0-9a-f]{20}$/)
  t.equal(textOf(sent.bytes), text, 'the caller’s bytes are not transferred')
  t.match(await service.analyse(request('No title'), 'answering'), { kind: 'refusal', message: /title/ })

  const before = standing(result)
  const shown = read(before)
  const view = await service.view({ view: 'blocks', read: shown, canonical: '/x', document: viewed })
  const block = JSON.parse(view.text!).blocks[2]
  t.match(block, { writable: true, text: 'Ask @Ada.' })
  const write = {
    before,
    people: [ada],
    names: presentNames([ada]),
    read: shown,
    replacement: Buffer.from('Done.'),
  }
  t.equal(
    textOf(taken(await service.writeBlock({ ...write, block: block.id })).stored),
    text.replace('Ask @Ada', 'Done'),
  )
  t.match(await service.writeBlock({ ...write, block: 'k0000000' }), {
    kind: 'stale',
    blocks: [{}, {}, block.id ? {} : {}],
  })
})

const viewed = { id: 'doc_1', title: 'T', lastEditedAt: '2026-06-18T10:00:00.000Z', bytes: 1 }

t.test('a file over the budget is kept as plain text, and spends the budget only once', async (t) => {
  const service = open(t, { budgetMs: 600 })
  const first = taken(await service.analyse(request(hostile()), 'answering'))
  t.match(first.digest, { plain: 'budget', title: 'Title', mentions: [], blocks: null })
  t.equal(textOf(first.stored), hostile())

  t.equal(taken(await service.analyse(request(hostile()), 'answering')).digest.plain, 'budget')
  t.equal(
    taken(await service.analyse(request(hostile(), { origin: 'found' }), 'background')).digest.plain,
    'budget',
  )
  const before = standing(first)
  t.equal(
    taken(await service.analyse(request(String(read(before)), { before }), 'answering')).digest.plain,
    'budget',
  )
  t.equal(service.overBudget(), 1)

  const shown = { view: 'blocks' as const, read: read(before), canonical: '/x', document: viewed }
  t.same(await service.view(shown), { text: null })
  const write = {
    before,
    people: [],
    names: {},
    read: read(before),
    replacement: Buffer.from('x'),
    block: 'k0000000',
  }
  t.match(await service.writeBlock(write), { kind: 'refusal', message: /takes too long to parse/ })
})

t.test('markdown with the worst nesting is stored unchanged', async (t) => {
  const service = open(t, { budgetMs: 100 })
  const size = 128 * 1024
  const pieces = ['>', '- ', '[', '*a_ ', '[^a]: ', '<a ', '@Ada ']
  const texts = [
    ...pieces.map((piece) => piece.repeat(size / piece.length)),
    `${'a\n'.repeat(size / 2)}=`,
    Array.from({ length: 500 }, (_, length) => '`'.repeat(length)).join(' '),
    Array.from({ length: 400 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n'),
    `${'**a '.repeat(size / 8)}${' b**'.repeat(size / 8)}`,
  ]
  const results = await Promise.all(
    texts.map((text) => service.analyse(request(`# Title\n\n${text}`), 'answering')),
  )
  for (const [place, result] of results.entries()) {
    const { digest, stored } = taken(result)
    t.equal(digest.title, 'Title', texts[place]!.slice(0, 8))
    t.ok(digest.plain === null || textOf(stored) === `# Title\n\n${texts[place]}`)
  }
})

t.test('small files do not wait for hostile ones', async (t) => {
  const service = markdownService({ budgetMs: 60_000 })
  const slow = ['a', 'b', 'c', 'd'].map((seed) => service.analyse(request(hostile(seed)), 'answering'))
  const ended = Promise.allSettled(slow)
  for (const seed of ['1', '2', '3']) {
    const small = await service.analyse(request(forThread(seed)), 'answering')
    t.equal(taken(small).digest.title, seed)
  }
  await service.close()
  t.ok(
    (await ended).every(({ status }) => status === 'rejected'),
    'none of the hostile ones had ended',
  )
})

t.test('of the files waiting for a thread, the one whose request is oldest is next', async (t) => {
  const service = open(t, { threads: 1 })
  const order: string[] = []
  const analyse = async (name: string, sinceMs: number) => {
    await service.analyse(request(forThread(name)), 'answering', sinceMs)
    order.push(name)
  }
  await Promise.all([analyse('running', 4), analyse('late', 3), analyse('early', 1), analyse('between', 2)])
  t.same(order, ['running', 'early', 'between', 'late'])
})

t.test('files that a request waits for go before those in the background', async (t) => {
  const service = open(t, { threads: 1 })
  const order: string[] = []
  const analyse = async (name: string, priority: 'answering' | 'background') => {
    await service.analyse(request(forThread(name)), priority)
    order.push(name)
  }
  await Promise.all([
    analyse('running', 'background'),
    analyse('background', 'background'),
    analyse('later', 'background'),
    analyse('answering', 'answering'),
  ])
  t.same(order, ['running', 'answering', 'background', 'later'])
})

t.test('the budget excludes waiting and the start of a thread', async (t) => {
  const service = open(t, { budgetMs: 500, threads: 1 })
  const all = ['a', 'b'].map((seed) => service.analyse(request(hostile(seed)), 'answering'))
  const last = await service.analyse(request(forThread('Small')), 'answering')
  t.equal(taken(last).digest.plain, null)
  for (const result of await Promise.all(all)) t.equal(taken(result).digest.plain, 'budget')
})

if (platform() === 'linux') {
  t.test('parser threads have a lower priority than the main thread', async (t) => {
    const main = getPriority(process.pid)
    const threads = () => readdirSync('/proc/self/task').map(Number)
    const before = new Set(threads())
    const service = open(t)
    await service.analyse(request(forThread('T')), 'answering')
    // The lowest priority is 19.
    const lower = Math.min(main + 10, 19)
    await eventually(() => threads().some((thread) => !before.has(thread) && getPriority(thread) === lower))
    t.equal(getPriority(process.pid), main)
  })
}

t.test('a view is made once for the same bytes and the same document details', async (t) => {
  const service = open(t)
  const shown = Buffer.from('---\nid: x\n---\n# T\n')
  const ask = (title: string) =>
    service.view({ view: 'outline', read: shown, canonical: '/x', document: { ...viewed, title } })
  const first = await ask('T')
  t.equal(await ask('T'), first)
  t.not(await ask('Other'), first)
})

t.test(
  'HTML over the budget loses its colours, then its markup, and spends the budget only once',
  async (t) => {
    const service = open(t, { budgetMs: 600 })
    const request = (text: string) => ({
      body: Buffer.from(text),
      mentions: [],
      origin: '',
      isPlain: false,
    })
    const ask = (text: string) => service.html(request(text))
    const slowToColour = `# T\n\n\`\`\`ini\n${'a'.repeat(50_000)}\n\`\`\`\n`
    const uncoloured = await ask(slowToColour)
    t.match(uncoloured, { isPlain: false, parts: [/<code dir="ltr" class="language-ini">aaa/] })
    t.match(await ask(hostile()), { isPlain: true, parts: [/^<pre class="plain"/], outline: [], slots: [] })
    t.match(await ask(`# T\n\n${'> '.repeat(1000)}a\n`), { isPlain: true })
    const spent = service.overBudget()
    t.strictSame(await ask(slowToColour), uncoloured)
    t.match(await ask(hostile()), { isPlain: true })
    t.equal(service.overBudget(), spent)
    const many = ['*a*', `${hostile()}\n`, '*b*'].map((text) => request(text))
    const plain = [false, true, false].map((isPlain) => ({ isPlain }))
    t.match(await service.htmls(many), plain, 'one of many does not affect the others')
  },
)

t.test('a file that nests too deeply has no views and no writable blocks', async (t) => {
  const service = open(t)
  const text = `# T\n\n${'> '.repeat(1000)}a\n`
  const result = taken(await service.analyse(request(text), 'answering'))
  t.equal(result.digest.plain, 'depth')
  const before = standing(result)
  t.same(await service.view({ view: 'blocks', read: read(before), canonical: '/x', document: viewed }), {
    text: null,
  })
  const write = {
    before,
    people: [],
    names: {},
    read: read(before),
    replacement: Buffer.from('x'),
    block: 'k0000000',
  }
  t.match(await service.writeBlock(write), { kind: 'refusal', message: /nested too deeply/ })
})

t.test('a closed service refuses work and leaves no thread running', async (t) => {
  const pool = new WorkerPool({ budgetMs: 60_000, maxRunMs: 600_000, cores: 1, threads: 1, minThreads: 1 })
  const jobs = ['running', 'waiting'].map((seed) =>
    pool.run({ kind: 'analyse', request: request(hostile(seed)), plain: null }, 'answering'),
  )
  const ended = Promise.allSettled(jobs)
  await pool.close()
  for (const result of await ended) t.match(result, { status: 'rejected', reason: /closed/ })
  await t.rejects(
    pool.run({ kind: 'analyse', request: request('# T\n'), plain: null }, 'answering'),
    /closed/,
  )
})

/** Runs a program in a process of its own. @returns what it prints */
async function printedBy(t: Test, program: string): Promise<string> {
  const service = JSON.stringify(moduleUrl('core/markdown/index.ts'))
  const folder = t.testdir({ 'program.mjs': `import { markdownService } from ${service}\n${program}` })
  const child = await promisify(execFile)(process.execPath, [...loaderArguments, `${folder}/program.mjs`])
  return child.stdout
}

t.test(
  'closing a service while its threads are still being loaded does not crash the whole process',
  async (t) => {
    const printed = await printedBy(
      t,
      `for (let afterMs = 0; afterMs < 280; afterMs += 40) {
      const service = markdownService()
      await new Promise((resolve) => setTimeout(resolve, afterMs))
      await service.close()
    }
    console.log('alive')`,
    )
    t.equal(printed, 'alive\n')
  },
)

t.test('a service that is not closed does not keep the process alive', async (t) => {
  const printed = await printedBy(
    t,
    `const request = { bytes: Buffer.from('# T\\n'), origin: 'sent', people: [], names: {}, before: null }
    const { digest } = await markdownService().analyse(request, 'answering')
    console.log(digest.title)`,
  )
  t.equal(printed, 'T\n')
})
