import { readdirSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import t from 'tap'
import { backUp } from '../../../core/backup/backup.ts'
import { restore } from '../../../core/backup/restore.ts'
import { defaultConfig } from '../../../core/config.ts'
import { startWorkroom, type Workroom } from '../../support/workroom.ts'

const general = '/v1/fs/projects/general'

/** Returns the mode of everything in a home that other accounts can access in any way, by path. */
function shared(home: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const { mode } = statSync(path)
    if ((mode & 0o077) !== 0) found.set(relative(home, path), (mode & 0o777).toString(8))
  }
  return found
}

/** A deleted file keeps its mode; the trash itself is closed. */
const isPrivate = (path: string) =>
  path === 'trash' || /^(?:\.workroom|projects\/[^/]+\/(?:drafts|attachments))(?:\/|$)/.test(path)

/** Creates something of every kind. */
async function fill({ request }: Workroom): Promise<void> {
  const put = async (path: string, title: string) =>
    (await request('PUT', `${general}/${path}`, { body: `# ${title}\n` })).json
  await put('docs/guides/plan.md', 'Plan')
  await put('drafts/idea.md', 'Idea')
  const draft = await put('drafts/news.md', 'News')
  await request('POST', `${draft.path}/attachments?name=plan.txt`, { body: 'Bytes.' })
  await request('POST', `${draft.path}/_publish`)
  const gone = await put('docs/gone.md', 'Gone')
  await request('DELETE', gone.path)
  await request('POST', `${general}/library/files?name=up/1.txt`, { body: 'Bytes.' })
}

t.test('only the server’s user can access drafts, attachments, the trash and .workroom', async (t) => {
  const workroom = await startWorkroom(t)
  await fill(workroom)
  const open = shared(workroom.home)
  t.same([...open.keys()].filter(isPrivate), [])
  for (const path of ['posts', 'documents/guides/plan.md', 'files/up/1.txt']) {
    t.ok(open.has(`projects/general/${path}`), `${path} follows the umask`)
  }
  const [post] = readdirSync(join(workroom.home, 'projects/general/posts'))
  t.equal(
    open.get(`projects/general/posts/${post}`),
    open.get('projects/general/documents/guides/plan.md'),
    'a published draft, too',
  )
  for (const [path, mode] of [
    ['drafts', 0o700],
    ['attachments', 0o700],
  ] as const) {
    t.equal(statSync(join(workroom.home, 'projects/general', path)).mode & 0o777, mode)
  }

  const [to, home] = [join(dirname(workroom.home), 'backup'), join(dirname(workroom.home), 'restored')]
  await backUp({ home: workroom.home, to })
  await restore({ from: to, home })
  t.same([...shared(home).keys()].filter(isPrivate), [], 'also in a restored home')
  t.ok(shared(home).has('projects/general/documents/guides/plan.md'))
})

t.test(
  'without disk.private, for a team that edits with other accounts, all but .workroom follows the umask',
  async (t) => {
    const before = process.umask(0o007)
    t.teardown(() => process.umask(before))
    const workroom = await startWorkroom(t, { config: { disk: { ...defaultConfig.disk, private: false } } })
    await fill(workroom)
    const open = shared(workroom.home)
    t.same(
      [...open.keys()].filter((path) => path.startsWith('.workroom')),
      [],
    )
    const modes = [...open]
      .filter(([path]) => isPrivate(path) && !path.includes('general/drafts'))
      .map(([, mode]) => mode)
    t.ok(modes.length >= 4)
    t.same(new Set(modes), new Set(['770', '660']))
  },
)
