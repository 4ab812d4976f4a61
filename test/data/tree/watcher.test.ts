import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch as watchFolder,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import chokidar, { type FSWatcher } from 'chokidar'
import t, { type Test } from 'tap'
import {
  type Hint,
  openTree,
  type Watcher,
  type WatcherState,
  type WatchOptions,
  watchTree,
} from '../../../data/tree/index.ts'
import { probeProblem, watchProblem } from '../../../data/tree/watch-problem.ts'
import { eventually } from '../../support/eventually.ts'
import { systemError } from './failing-disk.ts'

interface Watching {
  home: string
  watcher: Watcher
  hints: Hint[]
  states: WatcherState[]
  /** Whether there was such a hint since the last `forget`. */
  has(path: string, kind?: Hint['kind']): boolean
  /** Waits for such a hint. */
  hinted(path: string, kind?: Hint['kind']): Promise<unknown>
  forget(): void
}

async function watching(t: Test, content: object, options: Partial<WatchOptions> = {}): Promise<Watching> {
  const home = t.testdir(content as Parameters<Test['testdir']>[0])
  const hints: Hint[] = []
  const states: WatcherState[] = []
  const watcher = await watchTree(openTree(home), {
    onHint: (hint) => hints.push(hint),
    onProblem: (state) => states.push(state),
    ...options,
  })
  t.teardown(() => watcher.close())
  const has = (path: string, kind?: Hint['kind']) =>
    hints.some((hint) => hint.path === path && (kind === undefined || hint.kind === kind))
  return {
    home,
    watcher,
    hints,
    states,
    has,
    hinted: (path, kind) => eventually(() => has(path, kind)),
    forget: () => hints.splice(0),
  }
}

const general = { projects: { general: { documents: { 'plan.md': 'old' } } } }
const plan = 'projects/general/documents/plan.md'

t.test('a write in place gives a hint for the file', async (t) => {
  const { home, hinted, watcher } = await watching(t, general)
  t.same(watcher.state(), { mode: 'watching', problem: null })
  writeFileSync(join(home, plan), 'new')
  await hinted(plan, 'written')
})

t.test('an excluded folder gives no hints', async (t) => {
  const { home, hinted, hints } = await watching(
    t,
    { projects: { general: { documents: { 'plan.md': 'old' }, files: { 'a.bin': '' } } } },
    { isExcluded: (folder) => folder.startsWith('projects/general/files') },
  )
  writeFileSync(join(home, 'projects/general/files/a.bin'), 'new')
  mkdirSync(join(home, 'projects/general/files/deep'))
  writeFileSync(join(home, plan), 'new')
  await hinted(plan, 'written')
  t.same([...new Set(hints.map(({ path }) => path))], [plan])
})

t.test('a save by rename gives a hint for the file, and none for the temporary file', async (t) => {
  const { home, hinted, hints } = await watching(t, general)
  const temporary = join(home, 'projects/general/documents/.plan.md.tmp')
  writeFileSync(temporary, 'new')
  renameSync(temporary, join(home, plan))
  await hinted(plan, 'moved')
  t.same([...new Set(hints.map(({ path }) => path))], [plan])
})

t.test('every write gives a hint, however soon after the last one', async (t) => {
  const { home, hinted, forget } = await watching(t, general)
  for (let i = 0; i < 10; i++) {
    forget()
    writeFileSync(join(home, plan), `${i}`)
    await hinted(plan, 'written')
  }
})

t.test('adding, removing and renaming a file give hints', async (t) => {
  const { home, hinted, forget } = await watching(t, general)
  const other = 'projects/general/documents/other.md'
  writeFileSync(join(home, other), '')
  await hinted(other, 'moved')
  forget()
  renameSync(join(home, other), join(home, 'projects/general/moved.md'))
  await hinted(other, 'moved')
  await hinted('projects/general/moved.md', 'moved')
  rmSync(join(home, plan))
  await hinted(plan, 'moved')
})

t.test('a new folder gives a hint, and so do later writes in it', async (t) => {
  const { home, hinted, has } = await watching(t, general)
  mkdirSync(join(home, 'projects/new'))
  await hinted('projects/new', 'moved')
  await hintedWhenWritten({ home, has }, 'projects/new/a.md')
})

/** Writes until a hint arrives, because a new folder is watched only after a moment. */
async function hintedWhenWritten({ home, has }: Pick<Watching, 'home' | 'has'>, path: string): Promise<void> {
  await eventually(() => {
    writeFileSync(join(home, path), 'again')
    return has(path, 'written')
  })
}

t.test('a renamed folder is watched under its new name', async (t) => {
  const { home, hinted, has } = await watching(t, general)
  renameSync(join(home, 'projects/general'), join(home, 'projects/renamed'))
  await hinted('projects/general', 'moved')
  await hinted('projects/renamed', 'moved')
  await hintedWhenWritten({ home, has }, 'projects/renamed/documents/plan.md')
})

t.test('ignored names, files outside the projects and targets of links give no hints', async (t) => {
  const home = { ...general, trash: { 'old.md': '' }, '.workroom': { tmp: {} }, outside: {} }
  const {
    home: folder,
    hinted,
    hints,
  } = await watching(t, { ...home, link: t.fixture('symlink', 'outside') })
  symlinkSync(join(folder, 'outside'), join(folder, 'projects/linked'))
  await hinted('projects/linked')
  mkdirSync(join(folder, 'projects/general/.git'))
  const quiet = [
    'trash/old.md',
    'outside/a.md',
    'workroom.yaml',
    '.workroom/tmp/staged',
    'projects/general/.git/HEAD.md',
    'projects/general/documents/plan.md~',
    'projects/general/documents/4913',
  ]
  for (const path of quiet) writeFileSync(join(folder, path), 'x')
  writeFileSync(join(folder, plan), 'new')
  await hinted(plan, 'written')
  t.same([...new Set(hints.map(({ path }) => path))], ['projects/linked', plan])
})

t.test('an illegal name gives a hint for its folder', async (t) => {
  const { home, hinted } = await watching(t, general)
  writeFileSync(join(home, 'projects/general/documents/a:b.md'), '')
  await hinted('projects/general/documents', 'moved')
})

t.test('folders are watched, and files are not', async (t) => {
  let opened: FSWatcher | undefined
  const watch: typeof chokidar.watch = (paths, options) => (opened = chokidar.watch(paths, options))
  const { home } = await watching(t, { ...general, trash: { a: {} } }, { watch })
  t.same(opened?.getWatched(), {
    [join(home, '..')]: [home.split('/').at(-1)],
    [home]: ['projects'],
    [join(home, 'projects')]: ['general'],
    [join(home, 'projects/general')]: ['documents'],
    [join(home, 'projects/general/documents')]: [],
  })
})

t.test('a folder removed and created again at once is watched again', async (t) => {
  const { home, has } = await watching(t, general)
  rmSync(join(home, 'projects/general'), { recursive: true })
  mkdirSync(join(home, 'projects/general/documents'), { recursive: true })
  await hintedWhenWritten({ home, has }, plan)
})

t.test('the watched folder itself may vanish and come back', async (t) => {
  const { home, hinted, has, forget, watcher } = await watching(t, general)
  rmSync(join(home, 'projects'), { recursive: true })
  mkdirSync(join(home, 'projects/x'), { recursive: true })
  await hinted('projects', 'moved')
  await hintedWhenWritten({ home, has }, 'projects/x/a.md')
  await eventually(() => watcher.state().mode === 'watching')
  rmSync(join(home, 'projects'), { recursive: true })
  mkdirSync(join(home, 'projects/y'), { recursive: true })
  await watcher.rewatch()
  forget()
  writeFileSync(join(home, 'projects/y/a.md'), '')
  await hinted('projects/y/a.md', 'moved')
})

t.test('a home without projects is polled until there are some', async (t) => {
  const { home, has, states, watcher } = await watching(t, {})
  t.same(watcher.state(), { mode: 'polling', problem: 'There is no folder projects' })
  mkdirSync(join(home, 'projects'))
  await eventually(() => states.at(-1)?.mode === 'watching')
  t.same(watcher.state(), { mode: 'watching', problem: null })
  await hintedWhenWritten({ home, has }, 'projects/a.md')
})

t.test('a projects folder that is a link is not watched, and no probe is written through it', async (t) => {
  const { home, watcher } = await watching(t, { projects: t.fixture('symlink', 'outside'), outside: {} })
  t.match(watcher.state(), { mode: 'polling', problem: /a link is not followed/ })
  t.same(readdirSync(join(home, 'outside')), [])
})

/** A watcher as on a file system that sends no events. */
const deaf: typeof chokidar.watch = (paths, options) => {
  const opened = chokidar.watch(paths, options)
  const emit = opened.emit.bind(opened) as (event: string, ...args: unknown[]) => boolean
  opened.emit = ((event: string, ...args: unknown[]) =>
    event !== 'raw' && emit(event, ...args)) as typeof opened.emit
  return opened
}

t.test('the self-test detects a file system without events, and leaves no file', async (t) => {
  const { home, states, watcher } = await watching(t, general, { watch: deaf, probeMs: 50 })
  t.match(watcher.state(), { mode: 'polling', problem: /sends no events/ })
  t.same(states, [watcher.state()])
  t.same(readdirSync(join(home, 'projects')), ['general'])
})

t.test('the self-test gives no hint, and removes a probe left by a killed process', async (t) => {
  const { home, hints, watcher } = await watching(t, { projects: { '.workroom-probe': '' } })
  t.equal(watcher.state().mode, 'watching')
  t.same(hints, [])
  t.notOk(existsSync(join(home, 'projects/.workroom-probe')))
})

t.test(
  'a watch failure is reported once, with the command that fixes it, and watching again ends it',
  async (t) => {
    let opened: FSWatcher | undefined
    const watch: typeof chokidar.watch = (paths, options) => (opened = chokidar.watch(paths, options))
    const { home, hinted, hints, states, watcher } = await watching(t, general, { watch })
    opened!.emit('error', systemError('ENOSPC', join(home, 'projects/general')))
    opened!.emit('error', systemError('EACCES', join(home, 'projects/general')))
    t.same(states, [watcher.state()])
    t.match(watcher.state(), {
      mode: 'polling',
      problem: /limit of watched folders.*sysctl fs\.inotify\.max_user_watches=\d+/,
    })
    writeFileSync(join(home, plan), 'hints go on as far as they come')
    await hinted(plan)
    await watcher.rewatch()
    t.same(states.at(-1), { mode: 'watching', problem: null })
    t.same(hints.at(-1), { path: 'projects', kind: 'moved' }, 'everything is to be scanned')
  },
)

t.test('each watch problem names its remedy', async (t) => {
  const relative = (path: string) => path.replace('/home/', '')
  t.match(
    watchProblem(systemError('EMFILE', '/home/projects'), relative),
    /sysctl fs\.inotify\.max_user_instances=\d+/,
  )
  t.equal(
    watchProblem(systemError('EACCES', '/home/projects/a'), relative),
    "projects/a may not be read by the server; let it: chmod a+rx 'projects/a'",
  )
  t.equal(
    watchProblem(systemError('EWEIRD', '/home/projects/a'), relative),
    'projects/a cannot be watched: EWEIRD',
  )
  t.match(probeProblem(systemError('EACCES'), 'projects'), /may not write in projects; let it: chmod/)
  t.match(probeProblem(systemError('EROFS'), 'projects'), /mounted read-only/)
  t.match(probeProblem(systemError('ENOSPC'), 'projects'), /self-test of the watcher failed/)
})

t.test('a closed watcher gives no hints, and closing does not wait for the self-test', async (t) => {
  let isDeaf = false
  const watch: typeof chokidar.watch = (paths, options) => (isDeaf ? deaf : chokidar.watch)(paths, options)
  const { home, hints, states, watcher } = await watching(t, general, { watch, probeMs: 20_000 })
  isDeaf = true
  const rewatched = watcher.rewatch()
  await eventually(() => existsSync(join(home, 'projects/.workroom-probe')))
  await watcher.close()
  await rewatched
  const other = watchFolder(join(home, 'projects/general/documents'))
  writeFileSync(join(home, plan), 'new')
  await once(other, 'change')
  other.close()
  t.same([hints, states], [[], []])
  t.same(readdirSync(join(home, 'projects')), ['general'])
})
