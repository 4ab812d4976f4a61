import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type GitOptions, type GitSource, openGit } from '../../../data/outbound/git.ts'
import { isNewEnough } from '../../../data/outbound/git-process.ts'
import { makeRepository } from '../../support/code-repository.ts'
import { eventually } from '../../support/eventually.ts'
import { serveRepositories } from '../../support/git-server.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { certificate, certificateKey } from './certificate.ts'

const top = t.testdir()
const at = (...names: string[]) => join(top, ...names)
const mirrors = at('mirrors')
const root = at('code')
mkdirSync(at('home', 'inner'), { recursive: true })

const open = (options: Partial<GitOptions> = {}) =>
  openGit({
    folder: mirrors,
    home: at('home'),
    roots: [root, at('home'), at('no such root')],
    allow: ['git.example'],
    resolve: async () => ['127.0.0.1'],
    ...options,
  })
const git = open()
t.teardown(() => git.stop())

const folder = (...names: string[]): GitSource => ({ kind: 'folder', path: at(...names) })
let count = 0
const newId = () => `rep_${++count}`
/** Fetches into a new mirror, which must succeed. */
async function mirrorOf(source: GitSource) {
  const id = newId()
  const fetched = await git.fetch(id, source, null)
  if (fetched.kind === 'failure') throw new Error(`${fetched.reason}: ${fetched.detail}`)
  return { id, ...fetched }
}
/** The outcome of fetching into a new mirror. */
const outcome = async (source: GitSource, by = git) => {
  const result = await by.fetch(newId(), source, null)
  return result.kind === 'failure' ? result.reason : result.kind
}
const named = async (id: string, tree: string) => {
  const listing = await git.list(id, tree)
  return listing.kind === 'listing' ? listing.entries.map(({ path }) => path) : listing.reason
}

t.test('a mirror equals its source and follows it', async (t) => {
  const source = makeRepository(at('code', 'follow.git'), { 'README.md': '# Hi\n', 'src/a.ts': 'a' })
  const { id, branch, commitId } = await mirrorOf(folder('code', 'follow.git'))
  t.strictSame([branch, commitId], ['main', source.git(['rev-parse', 'main'])])
  t.strictSame(await named(id, commitId), ['README.md', 'src/a.ts'])
  const entry = await git.find(id, commitId, 'README.md')
  t.match(entry, { path: 'README.md', type: 'file', size: 5, objectId: /^[0-9a-f]{40}$/ })
  t.same(await git.read(id, (entry as { objectId: string }).objectId, 5), Buffer.from('# Hi\n'))
  t.match(await git.find(id, commitId, 'src'), { type: 'folder', size: null })
  t.equal(await git.find(id, commitId, 'src/b.ts'), null)

  t.strictSame(await git.fetch(id, folder('code', 'follow.git'), commitId), {
    kind: 'fetched',
    branch,
    commitId,
  })
  const next = source.commit({ 'src/a.ts': 'b' })
  t.match(await git.fetch(id, folder('code', 'follow.git'), commitId), { commitId: next })
  source.git(['update-ref', 'refs/heads/trunk', commitId])
  source.git(['symbolic-ref', 'HEAD', 'refs/heads/trunk'])
  t.match(await git.fetch(id, folder('code', 'follow.git'), next), { branch: 'trunk', commitId })
  source.git(['update-ref', '--no-deref', 'HEAD', next])
  t.match(await git.fetch(id, folder('code', 'follow.git'), commitId), { branch: 'HEAD', commitId: next })
})

t.test('a mirror holds one commit and frees the space of earlier ones', async (t) => {
  const random = seededRandom('packs')
  const small = open({ folder: at('small'), maxMirrorBytes: 10_000 })
  const source = makeRepository(at('code', 'grow.git'), { big: Buffer.from(random(4000)) })
  let known: string | null = null
  for (let round = 0; round < 4; round++) {
    const fetched = await small.fetch('rep_a', folder('code', 'grow.git'), known)
    known = fetched.kind === 'fetched' ? fetched.commitId : null
    t.ok(known, 'earlier commits of 4 kB each do not add up')
    source.commit({ big: Buffer.from(random(4000)) })
  }
  source.commit({ big: Buffer.from(random(12_000)) })
  t.match(await small.fetch('rep_a', folder('code', 'grow.git'), known), { reason: 'too_large' })
  t.equal((await small.list('rep_a', known!)).kind, 'listing', 'the last mirrored commit stays')
  t.equal(await outcome(folder('code', 'grow.git'), small), 'too_large')
  await small.stop()
})

t.test('a mirror that is broken, or locked by a killed git, is repaired', async (t) => {
  const source = makeRepository(at('code', 'mend.git'), { a: '1' })
  const { id, commitId } = await mirrorOf(folder('code', 'mend.git'))
  const mirror = join(mirrors, `${id}.git`)
  for (const lock of ['shallow.lock', 'refs/heads/default.lock', 'objects/pack/tmp_pack_x'])
    writeFileSync(join(mirror, lock), '')
  const next = source.commit({ a: '2' })
  t.match(await git.fetch(id, folder('code', 'mend.git'), commitId), { commitId: next })
  t.notOk(existsSync(join(mirror, 'objects/pack/tmp_pack_x')))
  rmSync(join(mirror, 'objects/pack'), { recursive: true })
  t.match(await git.list(id, next), { reason: 'failed' })
  t.match(await git.fetch(id, folder('code', 'mend.git'), next), { commitId: next })
  t.strictSame(await named(id, next), ['a'])
})

t.test(
  'repositories with SHA-256 ids, with a working copy, and with one commit can be mirrored',
  async (t) => {
    makeRepository(at('code', 'long.git'), { a: '1' }, ['--bare', '--object-format=sha256'])
    const long = await mirrorOf(folder('code', 'long.git'))
    t.match(long.commitId, /^[0-9a-f]{64}$/)
    t.strictSame(await named(long.id, long.commitId), ['a'])
    makeRepository(at('code', 'copy'), { a: '1' }, [])
    t.equal(await outcome(folder('code', 'copy')), 'fetched')
    makeRepository(at('code', 'shallow.git')).git([
      'fetch',
      '-q',
      '--depth=1',
      at('code', 'copy'),
      '+main:main',
    ])
    t.equal(await outcome(folder('code', 'shallow.git')), 'fetched')
  },
)

t.test('any file name is only a name: never an option, a pattern or another folder', async (t) => {
  const names = [
    '--output=x',
    '-r',
    ':(top)x',
    ':!x',
    '*',
    'a b/ä/漢🚀',
    'new\nline\ttab',
    '"quoted"',
    'HEAD',
    '.gitattributes',
    '.gitmodules',
    'C:evil',
    'con',
  ]
  makeRepository(at('code', 'odd.git'), {
    ...Object.fromEntries(names.map((name) => [name, name])),
    link: { link: '/etc/passwd' },
    up: { link: '../../..' },
    module: { submodule: '1'.repeat(40) },
    'back\\slash': 'x',
  })
  const { id, commitId } = await mirrorOf(folder('code', 'odd.git'))
  for (const name of names) {
    const entry = await git.find(id, commitId, name)
    t.match(entry, { path: name, type: 'file' }, name)
    t.equal(String(await git.read(id, (entry as { objectId: string }).objectId, 100)), name)
  }
  t.match(await git.find(id, commitId, 'link'), { type: 'symlink', size: 11 })
  t.match(await git.find(id, commitId, 'module'), { type: 'submodule', size: null })
  for (const path of [
    'up/x',
    'link/',
    '../x',
    './HEAD',
    '/etc/passwd',
    'a b//ä',
    'x\0y',
    '',
    'back\\slash',
    '?',
  ])
    t.equal(await git.find(id, commitId, path), null, JSON.stringify(path))
  t.equal(await git.find(id, commitId, 'x'.repeat(5000)), null)
  t.match(await git.list(id, commitId), { skipped: 1, isCut: false })
})

t.test('a forged tree is shown without the names that lead out of it', async (t) => {
  const source = makeRepository(at('code', 'hand.git'))
  const blob = source.git(['hash-object', '-w', '--stdin'], 'secret')
  const bytes = Buffer.from(blob, 'hex')
  const names = ['..', '.', 'a/../../b', '.git', 'ok', 'not-utf8-\xff']
  const tree = Buffer.concat(names.flatMap((name) => [Buffer.from(`100644 ${name}\0`, 'latin1'), bytes]))
  const id = source.git(['hash-object', '-t', 'tree', '--literally', '-w', '--stdin'], tree)
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.org']
  source.git(['update-ref', 'refs/heads/main', source.git([...identity, 'commit-tree', id, '-m', 'x'])])
  const mirror = await mirrorOf(folder('code', 'hand.git'))
  t.match(await git.list(mirror.id, mirror.commitId), {
    entries: [{ path: '.git' }, { path: 'ok' }],
    skipped: 4,
  })
  t.equal(await git.find(mirror.id, mirror.commitId, '..'), null)
})

t.test('nothing in a repository is run: no hook, filter or setting', async (t) => {
  const marker = at('was-run')
  const evil = `touch ${marker}; false`
  const { path } = makeRepository(at('code', 'evil.git'), {
    a: 'x',
    '.gitattributes': '* filter=evil diff=evil',
    '.gitmodules': '[submodule "m"]\n\tpath = m\n\turl = --upload-pack=evil\n\tupdate = !evil',
    m: { submodule: '1'.repeat(40) },
  })
  appendFileSync(
    join(path, 'config'),
    `[uploadpack]\n\tpackObjectsHook = "${evil}"\n[core]\n\tfsmonitor = "${evil}"\n\tsshCommand = "${evil}"\n\tpager = "${evil}"\n\talternateRefsCommand = "${evil}"\n\tgitProxy = "${evil}"\n[filter "evil"]\n\tclean = "${evil}"\n\tsmudge = "${evil}"\n[diff "evil"]\n\ttextconv = "${evil}"\n[alias]\n\tupload-pack = "!${evil}"\n[credential]\n\thelper = "!${evil}"\n`,
  )
  for (const hook of [
    'pre-receive',
    'post-checkout',
    'post-upload-pack',
    'reference-transaction',
    'pre-auto-gc',
  ])
    writeFileSync(join(path, 'hooks', hook), `#!/bin/sh\n${evil}\n`, { mode: 0o755 })
  const { id, commitId } = await mirrorOf(folder('code', 'evil.git'))
  t.strictSame(await named(id, commitId), ['.gitattributes', '.gitmodules', 'a', 'm'])
  t.notOk(existsSync(marker))
  const mirror = join(mirrors, `${id}.git`)
  t.notOk(existsSync(join(mirror, 'hooks')))
  t.notOk(existsSync(join(mirror, 'a')), 'no file is checked out')
})

t.test('a repository must be below a root, and must not lead out of it', async (t) => {
  const outside = makeRepository(at('outside.git'), { secret: 'x' })
  makeRepository(at('code-2', 'near.git'), { a: '1' })
  makeRepository(at('home', 'inner', 'mine.git'), { a: '1' })
  mkdirSync(at('code', 'plain'))
  symlinkSync(outside.path, at('code', 'link.git'))
  symlinkSync(at('code', 'follow.git'), at('code', 'inside-link.git'))
  /** A repository changed by `bend`. */
  const bent = (name: string, bend: (path: string) => void) => {
    bend(makeRepository(at('code', name), { a: '1' }).path)
    return folder('code', name)
  }
  const relink = (path: string, to: string) => {
    rmSync(path, { recursive: true })
    symlinkSync(to, path)
  }
  mkdirSync(at('code', 'worktree'))
  writeFileSync(at('code', 'worktree', '.git'), `gitdir: ${outside.path}\n`)
  const objects = join(outside.path, 'objects')
  const cases: [source: GitSource, reason: string][] = [
    [folder('outside.git'), 'outside_roots'],
    [folder('code', '..', 'outside.git'), 'outside_roots'],
    [folder('code-2', 'near.git'), 'outside_roots'],
    [folder('code', 'nothing'), 'outside_roots'],
    [folder('code', 'link.git'), 'outside_roots'],
    [folder('code', 'inside-link.git'), 'fetched'],
    [folder('home', 'inner', 'mine.git'), 'inside_home'],
    [folder('code', 'plain'), 'not_a_repository'],
    [folder('code', 'worktree'), 'leads_outside'],
    [bent('o.git', (path) => relink(join(path, 'objects'), objects)), 'leads_outside'],
    [bent('p.git', (path) => relink(join(path, 'objects', 'pack'), join(objects, 'pack'))), 'leads_outside'],
    [bent('l.git', (path) => symlinkSync(objects, join(path, 'objects', 'pack', 'x.pack'))), 'leads_outside'],
    [bent('a.git', (path) => writeFileSync(join(path, 'objects/info/alternates'), objects)), 'leads_outside'],
    [bent('c.git', (path) => writeFileSync(join(path, 'commondir'), outside.path)), 'leads_outside'],
    // git itself would follow these.
    [bent('g.git', (path) => symlinkSync(outside.path, join(path, '.git'))), 'leads_outside'],
    [bent('e.git', (path) => rmSync(join(path, 'refs'), { recursive: true })), 'failed'],
  ]
  for (const [source, reason] of cases) t.equal(await outcome(source), reason, JSON.stringify(source))
  makeRepository(at('code', 'none.git'))
  t.equal(await outcome(folder('code', 'none.git')), 'empty')
  makeRepository(at('code', 'nested'), { a: '1' }, [])
  symlinkSync(outside.path, at('code', 'nested', '.git', '.git'))
  const { id, commitId } = await mirrorOf(folder('code', 'nested'))
  t.strictSame(await named(id, commitId), ['a'], 'git reads the repository that was checked')
})

t.test('a repository’s address is checked once, and redirects are not followed', async (t) => {
  makeRepository(at('served', 'a.git'), { a: '1' })
  const server = await serveRepositories(t, at('served'), (path, response) => {
    if (path.startsWith('/moved/')) {
      response.writeHead(302, { Location: path.replace('/moved', '') }).end()
      return true
    }
    return path.startsWith('/silent/')
  })
  const address = (host: string, path: string): GitSource => ({
    kind: 'address',
    url: `http://${host}:${server.port}/${path}`,
  })
  const { id, branch, commitId } = await mirrorOf(address('git.example', 'a.git'))
  t.strictSame([branch, await named(id, commitId)], ['main', ['a']])
  const reached = server.requestUrls.length
  t.match(await git.fetch(newId(), address('moved.example', 'a.git'), null), {
    reason: 'address',
    detail: 'blocked_address',
  })
  const foreign = open({ resolve: async () => ['93.184.216.34'] })
  t.match(await foreign.fetch(newId(), address('public.example', 'a.git'), null), { detail: 'plain_http' })
  t.match(await git.fetch(newId(), { kind: 'address', url: 'https://u:p@git.example/' }, null), {
    detail: 'credentials',
  })
  t.equal(server.requestUrls.length, reached, 'no request was sent for these')
  t.equal(await outcome(address('git.example', 'moved/a.git')), 'failed')
  t.equal(await outcome(address('git.example', 'nothing.git')), 'failed')

  const hasty = open({ fetchMs: 300 })
  t.equal(await outcome(address('git.example', 'silent/a.git'), hasty), 'timeout')
  const stopped = open()
  const waiting = outcome(address('git.example', 'silent/b.git'), stopped)
  await eventually(() => server.requestUrls.some((path) => path.startsWith('/silent/b.git')))
  await stopped.stop()
  t.equal(await waiting, 'stopped')
  t.equal(await outcome(address('git.example', 'a.git'), stopped), 'stopped')
})

t.test('over HTTPS a repository is fetched only from a server that proves its name', async (t) => {
  makeRepository(at('secure', 'a.git'), { a: '1' })
  const tls = { cert: certificate, key: certificateKey }
  const server = await serveRepositories(t, at('secure'), () => false, tls)
  const address = (host: string): GitSource => ({
    kind: 'address',
    url: `https://${host}:${server.port}/a.git`,
  })
  const allow = ['receiver.example', 'other.example']
  const trusting = open({ allow, authorities: certificate, folder: at('trusting') })
  const fetched = await trusting.fetch('rep_tls', address('receiver.example'), null)
  t.match(fetched, { kind: 'fetched', branch: 'main' })
  const reached = server.requestUrls.length
  t.match(await trusting.fetch(newId(), address('other.example'), null), { reason: 'failed' }, 'another name')
  t.match(
    await open({ allow }).fetch(newId(), address('receiver.example'), null),
    { reason: 'failed', detail: /certificate/ },
    'an authority that is not trusted',
  )
  t.match(
    await open({ allow: [], authorities: certificate }).fetch(newId(), address('receiver.example'), null),
    { reason: 'address', detail: 'blocked_address' },
    'a name that leads into the network, even with a valid certificate',
  )
  t.equal(server.requestUrls.length, reached, 'no request was sent to any of them')
})

t.test('lists, files and concurrent reads are limited', async (t) => {
  makeRepository(at('code', 'many.git'), { a: '12345', b: '2', c: '3', d: '4' })
  const { id, commitId } = await mirrorOf(folder('code', 'many.git'))
  const few = open({ maxEntries: 3 })
  t.match(await few.list(id, commitId), { entries: { length: 3 }, isCut: true })
  const { objectId } = (await git.find(id, commitId, 'a')) as { objectId: string }
  t.match(await git.read(id, objectId, 4), { reason: 'too_large' })
  t.match(await git.read(id, '0'.repeat(40), 4), { reason: 'failed' })
  const all = await Promise.all(Array.from({ length: 80 }, () => git.read(id, objectId, 5)))
  const busy = all.filter((answer) => 'kind' in answer && answer.reason === 'busy')
  t.ok(busy.length > 0 && busy.length < 20, 'reads wait in a queue of limited length')
})

t.test('mirrors of unknown repositories are removed', async (t) => {
  makeRepository(at('code', 'keep.git'), { a: '1' })
  const keeper = open({ folder: at('kept') })
  for (const id of ['rep_x', 'rep_y', 'rep_z']) await keeper.fetch(id, folder('code', 'keep.git'), null)
  await keeper.remove('rep_z')
  await keeper.remove('rep_never')
  t.strictSame(await keeper.keepOnly(['rep_x', 'rep_gone']), ['rep_x'])
  t.strictSame(readdirSync(at('kept')).sort(), ['rep_x.git', 'settings'])
  await keeper.stop()
})

t.test('a git too old for the protective settings is not used', async (t) => {
  for (const said of [
    'git version 2.37.0',
    'git version 2.39.5 (Apple Git-154)',
    'git version 3.0.0.windows.1',
  ])
    t.ok(isNewEnough(said), said)
  for (const said of ['git version 2.36.9', 'git version 1.99', 'version 3.0', ''])
    t.notOk(isNewEnough(said), said)
})
