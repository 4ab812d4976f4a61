import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { illegalNameReason } from '../../../data/tree/index.ts'
import { bodyOf, openProjectFolder } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)
const project = '/v1/fs/projects/general'

/** Names as in a URL, after the folder. */
const hostile = [
  '..',
  '../..',
  '../../../secret.md',
  '%2e%2e',
  '%2e%2e/secret.md',
  '%2e%2e%2f%2e%2e%2f%2e%2e%2fsecret.md',
  '..%2f..%2f..%2fsecret.md',
  '..%5c..%5csecret.md',
  '%5c%5cserver%5cshare.md',
  '%252e%252e%252fsecret.md',
  '%c0%ae%c0%ae%c0%afsecret.md',
  '%00',
  'plan.md%00.txt',
  'plan%00.md',
  '%2fetc%2fpasswd',
  '/etc/passwd',
  'C:%5csecret.md',
  'C%3a/secret.md',
  'a%3ab.md',
  'trailing.md.',
  'trailing.md%20',
  '%20.md',
  '...',
  'CON.md',
  'nul',
  'line%0abreak.md',
  'tab%09.md',
  `${'x'.repeat(300)}.md`,
  `${'%f0%9f%a6%86'.repeat(90)}.md`,
  '.git/config.md',
  '.git%2fconfig',
  '.workroom',
  '..%2fx.conflicted.md',
  '.git%2fconfig.conflicted.md',
  '.git/config.conflicted.md',
  'a%00.conflicted.md',
  'x.conflicted',
  '.hidden.md',
  '.obsidian/plugin.md',
  'x.md~',
  '4913',
  'plan.tmp',
  `${'deep/'.repeat(60)}x.md`,
  '%ff.md',
  '%',
  '%zz.md',
  'plan.md/below.md',
]

/** Every file and folder below a folder, without those named .workroom. */
function everythingBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => !path.split('/').includes('.workroom'))
    .sort()
}

t.test('a hostile name reads nothing, writes nothing and breaks nothing', async (t) => {
  const outside = dirname(workroom.home)
  writeFileSync(join(outside, 'secret.md'), '# Secret\n')
  writeFileSync(join(workroom.home, 'secret.md'), '# Secret\n')
  mkdirSync(workroom.at('documents/.git'))
  writeFileSync(workroom.at('documents/.git/config.md'), '# Secret\n')
  writeFileSync(workroom.at('documents/.git/config.conflicted.md'), '# Secret\n')
  writeFileSync(workroom.at('x.conflicted.md'), '# Secret\n')
  const before = everythingBelow(outside)
  for (const folder of ['docs', 'library/documents', 'posts', 'drafts', 'board/02-todo']) {
    for (const name of hostile) {
      const path = `${project}/${folder}/${name}`
      for (const method of ['GET', 'DELETE', 'HEAD']) {
        const { status, text } = await workroom.request(method, path)
        t.ok([400, 404, 405, 422, 431].includes(status), `${method} ${path}: ${status}`)
        t.notMatch(text, /Secret|root:/, path)
      }
      for (const call of ['_revisions', '_backlinks']) {
        const { status } = await workroom.request('GET', `${path}/${call}`)
        t.ok(status < 500, `${path}/${call}: ${status}`)
      }
      const { status } = await workroom.request('PUT', path, { body: 'No title.\n' })
      t.ok([400, 404, 405, 413, 422].includes(status), `PUT ${path}: ${status}`)
    }
  }
  t.same(everythingBelow(outside), before)
})

t.test('a hostile name of a project or column is refused and creates nothing', async (t) => {
  const before = everythingBelow(dirname(workroom.home))
  for (const name of ['..', '%2e%2e', '..%2f..', '%00', '.workroom', 'general%2f..', 'CON', '%ff']) {
    for (const path of [`/v1/fs/projects/${name}/docs/x.md`, `${project}/board/${name}/x.md`]) {
      const { status } = await workroom.request('PUT', path, { body: '# X\n' })
      t.ok([400, 403, 404, 405, 422].includes(status), `${path}: ${status}`)
    }
  }
  t.same(everythingBelow(dirname(workroom.home)), before)
})

t.test('a PUT under a strange name creates a file whose name is legal everywhere', async (t) => {
  const before = new Set(everythingBelow(dirname(workroom.home)))
  const titles = [
    'CON',
    'nul',
    '..',
    '../../up',
    'a:b',
    'C:\\temp',
    'dot.',
    'x'.repeat(200),
    '🦆'.repeat(200),
    '?*|<>"',
    '.git',
    'a/b',
    'tilde~',
    'name.tmp',
    '4913',
  ]
  for (const [n, title] of titles.entries()) {
    const text = `---\ntitle: ${JSON.stringify(title)}\n---\nText ${n}.\n`
    const { status, json } = await workroom.request('PUT', `${project}/docs/strange-${n}.md`, { body: text })
    t.equal(status, 201, title)
    t.equal(illegalNameReason(json.filename), null, json.filename)
    t.notMatch(json.filename, '/')
    const read = await workroom.request('GET', json.path)
    t.match([read.status, bodyOf(read)], [200, new RegExp(`Text ${n}\\.\\n$`)], title)
  }
  const created = everythingBelow(dirname(workroom.home)).filter((path) => !before.has(path))
  t.equal(created.length, titles.length)
  t.ok(created.every((path) => dirname(path) === 'home/projects/general/documents'))
})

t.test('a PUT creates sub-folders under legal names only', async (t) => {
  const before = everythingBelow(workroom.at('documents'))
  for (const folder of ['CON', 'a%3ab', 'dot.', '.hidden', 'x~', 'a%5cb', `${'x'.repeat(300)}`, '%20']) {
    const { status } = await workroom.request('PUT', `${project}/docs/${folder}/new.md`, { body: '# New\n' })
    t.ok([404, 422].includes(status), `${folder}: ${status}`)
  }
  t.same(everythingBelow(workroom.at('documents')), before)
  t.equal((await workroom.request('PUT', `${project}/docs/fine/new.md`, { body: '# New\n' })).status, 201)
  t.ok(existsSync(workroom.at('documents/fine/new.md')))
})

t.test('names in a URL are decoded once, segment by segment', async (t) => {
  const written = await workroom.request('PUT', `${project}/docs/c++.md`, { body: '# C plus\n' })
  t.equal(written.status, 201)
  workroom.write('documents/100%25.md', '# Percent\n')
  t.equal(bodyOf(await workroom.request('GET', `${project}/docs/100%2525.md`)), '# Percent\n')
  t.equal((await workroom.request('GET', `${project}/docs/100%25.md`)).status, 404)
  t.equal(readFileSync(workroom.at('documents/100%25.md'), 'utf8'), '# Percent\n')
})
