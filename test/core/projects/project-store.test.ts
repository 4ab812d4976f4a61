import t from 'tap'
import type { Member } from '../../../core/access/member.ts'
import { slugOf } from '../../../core/text/slug.ts'
import { illegalNameReason } from '../../../data/tree/index.ts'
import fc from '../../support/seeded-properties.ts'
import { freshDirectories, type OpenedDirectories } from '../open-directories.ts'

const addMember = async ({ members }: OpenedDirectories, name: string, role: Member['role'] = 'member') =>
  (await members.add({ name, type: 'human', role })).member

t.test('a project is found by slug and id, and by name where a person gives it', async (t) => {
  const { projects, owner } = await freshDirectories(t)
  const project = await projects.add({ name: 'Café Olé', lead: owner })
  t.match(project, { name: 'Café Olé', slug: 'cafe-ole', folder: 'cafe-ole', archivedMs: null })
  t.equal(projects.find('cafe-ole'), project)
  t.equal(projects.find(project.id), project)
  t.equal(projects.find('Café Olé'), null)
  t.equal(projects.resolve('Café Olé'), project)
  t.equal(projects.resolve('nothing'), null)
  const hangul = await projects.add({ name: '한글', lead: owner })
  t.equal(projects.find('한글'.normalize('NFD')), hangul, 'in either Unicode normal form')
})

t.test(
  'members see the projects that they are in, and owners and admins can list all the projects',
  async (t) => {
    const opened = await freshDirectories(t)
    const { projects, owner } = opened
    const [admin, bob, eve] = [
      await addMember(opened, 'Grace', 'admin'),
      await addMember(opened, 'Bob'),
      await addMember(opened, 'Eve'),
    ]
    const first = await projects.add({ name: 'First', lead: bob })
    const second = await projects.add({ name: 'Second', lead: null })
    t.equal(projects.roleOf(first, bob), 'lead')
    t.equal(projects.roleOf(first, owner), null)
    t.same(projects.members(first), [{ memberId: bob.id, role: 'lead' }])
    t.same(projects.members(second), [])
    for (const member of [owner, admin]) {
      t.same(projects.readableBy(member), [])
      t.same(projects.listableBy(member), [first, second])
      t.throws(() => projects.require(member, 'first'), { code: 'forbidden' })
      t.same(projects.requireListed(member, 'first'), first)
    }
    t.same(projects.readableBy(bob), [first])
    t.same(projects.listableBy(bob), [first])
    t.same(projects.readableBy(eve), [])
    t.throws(() => projects.requireListed(eve, 'first'), { code: 'forbidden' })
  },
)

t.test('a project that the caller is not in is forbidden, and an unknown one not found', async (t) => {
  const opened = await freshDirectories(t)
  const { projects, owner } = opened
  const bob = await addMember(opened, 'Bob')
  const project = await projects.add({ name: 'Secret', lead: owner })
  t.throws(() => projects.require(bob, 'secret'), { code: 'forbidden' })
  t.throws(() => projects.require(bob, project.id), { code: 'forbidden' })
  t.throws(() => projects.require(bob, 'other'), { code: 'not_found', next: { step: 'list projects' } })
  await projects.join(project, bob, 'member')
  t.equal(projects.require(bob, 'secret').id, project.id)
})

t.test('joining again changes the role and keeps the order of joining', async (t) => {
  const opened = await freshDirectories(t)
  const { projects, clock, owner, members } = opened
  const bob = await addMember(opened, 'Bob')
  const project = await projects.add({ name: 'P', lead: owner })
  clock.nowMs += 1
  await projects.join(project, bob, 'member')
  clock.nowMs += 1
  await projects.join(project, owner, 'member')
  await projects.join(project, bob, 'lead')
  t.same(projects.members(project), [
    { memberId: owner.id, role: 'member' },
    { memberId: bob.id, role: 'lead' },
  ])
  const left = await members.setStatus(bob.id, 'deactivated')
  await t.rejects(projects.join(project, left, 'lead'), { code: 'conflict' })
  await t.rejects(projects.add({ name: 'Q', lead: left }), { code: 'conflict' })
})

t.test('a name is one line of 1 to 80 characters, and may repeat', async (t) => {
  const { projects, owner } = await freshDirectories(t)
  for (const name of ['', '   ', 'a\nb', 'a\u2028b', 'a'.repeat(81), 'a\ud800b']) {
    await t.rejects(projects.add({ name, lead: owner }), { code: 'invalid' })
  }
  const names = ['Notes', 'Notes', 'notes', 'Notes!']
  const slugs: string[] = []
  for (const name of names) slugs.push((await projects.add({ name, lead: owner })).slug)
  t.same(slugs, ['notes', 'notes-2', 'notes-3', 'notes-4'])
})

t.test('a requested slug is used exactly or refused', async (t) => {
  const { projects, owner } = await freshDirectories(t)
  t.equal((await projects.add({ name: 'Something else', slug: 'notes', lead: owner })).slug, 'notes')
  await t.rejects(projects.add({ name: 'Notes', slug: 'notes', lead: owner }), { code: 'conflict' })
  for (const slug of ['', 'Notes', 'a b', '-a', '..', 'a/b', 'é']) {
    await t.rejects(projects.add({ name: 'X', slug, lead: owner }), { code: 'invalid' })
  }
  await t.rejects(projects.add({ name: 'X', slug: 'Next Year', lead: owner }), {
    message: /such as next-year/,
  })
  await t.rejects(projects.add({ name: 'X', slug: 'con', lead: owner }), { message: /device on Windows/ })
})

t.test('a name without usable characters gives the id as slug', async (t) => {
  const { projects, owner } = await freshDirectories(t)
  const project = await projects.add({ name: '***', lead: owner })
  t.equal(project.slug, project.id)
  t.equal(project.folder, project.id)
})

t.test('a name that is not a legal folder name gives a slug that is', async (t) => {
  const { projects, owner } = await freshDirectories(t)
  t.equal((await projects.add({ name: 'Con', lead: owner })).slug, 'con-project')
  t.equal((await projects.add({ name: 'LPT¹', lead: owner })).slug, 'lpt1-project')
  const long = await projects.add({ name: '𐌰'.repeat(80), lead: owner })
  t.equal(long.slug, long.id, '320 bytes are too long for a file system')
})

t.test('for any names, slugs are valid, unique and legal as folder names', async (t) => {
  const { projects, owner } = await freshDirectories(t)
  const name = fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      fc.constantFrom('aux', 'x'.repeat(80), '!'),
    )
    .filter((text) => text.trim() !== '' && !/[\p{C}\u2028\u2029]/u.test(text) && [...text].length <= 80)
  await fc.assert(
    fc.asyncProperty(name, async (name) => {
      const { slug, folder, id } = await projects.add({ name, lead: owner })
      return folder === slug && illegalNameReason(folder) === null && (slug === id || slug === slugOf(slug))
    }),
    { numRuns: 60 },
  )
  const slugs = projects.all().map(({ slug }) => slug)
  t.equal(new Set(slugs).size, slugs.length)
  t.ok(slugs.every((slug) => [...slug].length <= 80))
})

t.test('of two projects that request one slug at once, one gets it', async (t) => {
  const { projects, neighbour, owner } = await freshDirectories(t)
  const request = { name: 'X', slug: 'x', lead: owner }
  const outcomes = await Promise.allSettled([
    projects.add(request),
    projects.add(request),
    neighbour.projects.add(request),
  ])
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
})

t.test('a folder that appears on the disk becomes one project of its name', async (t) => {
  const { projects, neighbour, owner } = await freshDirectories(t)
  const project = await projects.adoptFolder('Meine Notizen', owner.id)
  t.match(project, { name: 'Meine Notizen', folder: 'Meine Notizen', slug: 'meine-notizen' })
  t.equal(projects.roleOf(project, owner), 'lead')
  t.equal((await projects.adoptFolder('Meine Notizen', owner.id)).id, project.id)
  t.equal((await neighbour.projects.adoptFolder('Meine Notizen', owner.id)).id, project.id)
  t.equal(
    (await projects.adoptFolder('meine notizen', owner.id)).slug,
    'meine-notizen-2',
    'an equal folder is another project',
  )
  const odd = await projects.adoptFolder(`${'x'.repeat(100)}\n`, owner.id)
  t.equal(odd.name, 'x'.repeat(80))
})

t.test('a project with a renamed folder keeps slug and id, and the folder’s name is taken', async (t) => {
  const { projects, owner } = await freshDirectories(t)
  const project = await projects.add({ name: 'Alpha', lead: owner })
  const renamed = await projects.setFolder(project, 'Beta')
  t.match(renamed, { id: project.id, slug: 'alpha', folder: 'Beta' })
  t.equal((await projects.add({ name: 'beta', lead: owner })).slug, 'beta-2')
  await t.rejects(projects.add({ name: 'b', slug: 'beta', lead: owner }), { code: 'conflict' })
})

t.test('an owner can confirm that missing files count as deleted', async (t) => {
  const { projects, clock, owner } = await freshDirectories(t)
  const project = await projects.add({ name: 'P', lead: owner })
  t.equal(project.deletionsConfirmedMs, null)
  t.equal((await projects.confirmDeletions(project)).deletionsConfirmedMs, clock.nowMs)
})

t.test('changes by another process count after a refresh', async (t) => {
  const opened = await freshDirectories(t)
  const { projects, neighbour, owner } = opened
  const bob = await addMember(opened, 'Bob')
  const project = await neighbour.projects.add({ name: 'P', lead: owner })
  await neighbour.projects.join(project, bob, 'member')
  t.equal(projects.find('p'), null)
  projects.refresh()
  t.same(projects.readableBy(bob), [project])
})
