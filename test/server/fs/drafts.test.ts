import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, clock, owner, home } = workroom
const project = '/v1/fs/projects/general'
const drafts = `${project}/drafts`

const grace = await workroom.addMember({ name: 'Grace Hopper', type: 'human' }, 'general')

const put = (path: string, body: string, key = owner.key) => request('PUT', path, { body, key })

t.test('a draft is in its author’s folder, and is listed as a draft', async (t) => {
  const { status, json } = await put(`${drafts}/next.md`, '# Next\n\nText.\n', grace.key)
  const day = new Date(clock.now()).toISOString().slice(0, 10)
  t.match(
    [status, json],
    [201, { filename: `${day}-next.md`, path: `${drafts}/${day}-next.md`, created: true }],
  )
  t.equal(
    readFileSync(join(home, 'projects/general/drafts/grace-hopper', json.filename), 'utf8'),
    '# Next\n\nText.\n',
  )
  t.strictSame((await request('GET', drafts, { key: grace.key })).json, {
    project: 'general',
    posts: [
      {
        filename: json.filename,
        id: json.id,
        title: 'Next',
        publishedAt: clock.now(),
        isDraft: true,
        path: json.path,
        url: json.url,
      },
    ],
  })
})

t.test(
  'nobody else sees a draft, not even an owner: in no list, at no address, and in no other answer',
  async (t) => {
    const { json } = await put(`${drafts}/secret.md`, '# Very secret\n\nFor @Ada.\n', grace.key)
    t.strictSame((await request('GET', drafts)).json.posts, [])
    for (const name of [json.filename, 'very-secret', json.id]) {
      for (const path of [
        `${drafts}/${name}`,
        `${drafts}/${name}?view=blocks`,
        `${drafts}/${name}/_revisions`,
      ])
        t.equal((await request('GET', path)).status, 404, path)
      t.equal((await request('DELETE', `${drafts}/${name}`)).status, 404)
      t.equal((await request('POST', `${drafts}/${name}/_publish`)).status, 404)
      for (const folder of ['posts', 'docs', 'board/01-triage'])
        t.equal((await request('GET', `${project}/${folder}/${name}`)).status, 404)
    }
    for (const path of [
      '/v1/fs',
      '/v1/fs/inbox/mentions.md',
      project,
      `${project}/posts`,
      `${project}/trash`,
    ])
      t.notMatch((await request('GET', path)).text, /very.secret/i, path)
    t.equal((await request('GET', json.path, { key: grace.key })).status, 200)
  },
)

t.test('the same name under drafts/ is a different draft for each author', async (t) => {
  const hers = (await put(`${drafts}/plan.md`, '# Plan\n\nHers.\n', grace.key)).json
  const mine = (await put(`${drafts}/plan.md`, '# Plan\n\nMine.\n')).json
  t.equal(hers.filename, mine.filename)
  t.not(hers.id, mine.id)
  t.match((await request('GET', mine.path)).text, /Mine/)
  t.match((await request('GET', hers.path, { key: grace.key })).text, /Hers/)
})

t.test('members whose names have the same slug have separate folders', async (t) => {
  const bob = await workroom.addMember({ name: 'Bob B', type: 'human' }, 'general')
  const other = await workroom.addMember({ name: 'bob-b', type: 'human' }, 'general')
  const first = (await put(`${drafts}/x.md`, '# X\n\n1\n', bob.key)).json
  const second = (await put(`${drafts}/x.md`, '# X\n\n2\n', other.key)).json
  t.match((await request('GET', first.path, { key: bob.key })).text, /1\n$/)
  t.match((await request('GET', second.path, { key: other.key })).text, /2\n$/)
})

t.test(
  '_publish publishes the draft: its id stays, the draft is gone, the post has today’s date',
  async (t) => {
    const draft = (await put(`${drafts}/moving.md`, '# Moving\n\nText.\n')).json
    clock.advance(3 * 24 * 3_600_000)
    await put(draft.path, '# Moving\n\nBetter text.\n')
    clock.advance(1000)
    const { status, json } = await request('POST', `${draft.path}/_publish`)
    const day = new Date(clock.now()).toISOString().slice(0, 10)
    t.match(
      [status, json],
      [201, { id: draft.id, filename: `${day}-moving.md`, path: `${project}/posts/${day}-moving.md` }],
    )
    t.equal((await request('GET', draft.path)).status, 404)
    t.notOk(existsSync(join(home, 'projects/general/drafts/ada', draft.filename)))
    t.ok(existsSync(join(home, 'projects/general/posts', json.filename)))
    const read = (await request('GET', json.path, { key: grace.key })).text
    t.match(read, new RegExp(`^publishedAt: ${new Date(clock.now()).toISOString()}$`, 'm'))
    t.notMatch(read, /^editedAt/m, 'changes before the publication are no edit of the post')
    t.match(read, /Better text\.\n$/)
    t.equal((await request('POST', `${json.path}/_publish`)).status, 404, 'a post is not a draft')
  },
)

t.test('a PUT under posts/ leaves a draft of the same title where it is', async (t) => {
  const draft = (await put(`${drafts}/both.md`, '# Both\n')).json
  const post = (await put(`${project}/posts/both.md`, '# Both\n')).json
  t.not(post.id, draft.id)
  t.equal((await request('GET', draft.path)).status, 200)
  const again = await request('POST', `${draft.path}/_publish`)
  t.match([again.status, again.json.filename], [201, /-both-2\.md$/])
})

t.test('scheduledFor takes ISO 8601 with a zone and epoch milliseconds; anything else is 422', async (t) => {
  const later = clock.now() + 3_600_000
  for (const time of [
    new Date(later).toISOString(),
    later,
    '2100-01-01T12:00:00+02:00',
    '2100-01-01T12:00-0330',
    '"2100-01-01 12:00Z"',
  ]) {
    const { json } = await put(`${drafts}/timed.md`, `---\nscheduledFor: ${time}\n---\n# Timed\n`)
    t.match((await request('GET', json.path)).text, `scheduledFor: ${time}\n`)
  }
  for (const time of [
    'tomorrow',
    '[1]',
    'true',
    '-5',
    '2100-13-45',
    '1.5',
    '2100-01-01',
    '2100-01-01T12:00:00',
    '"2100-01-01 12:00"',
  ])
    t.match(
      (await put(`${drafts}/timed.md`, `---\nscheduledFor: ${time}\n---\n# Timed\n`)).json,
      { error: 'unprocessable', message: /scheduledFor must be a time with its zone/ },
      time,
    )
})

t.test('a scheduled draft is published on time, by its author, with the scheduled time', async (t) => {
  const at = clock.now() + 3_600_000
  const body = `---\nscheduledFor: ${new Date(at).toISOString()}\n---\n# On time\n\nHello @Ada.\n`
  const draft = (await put(`${drafts}/on-time.md`, body, grace.key)).json
  clock.advance(3_599_999)
  t.equal((await request('GET', draft.path, { key: grace.key })).status, 200)
  t.notMatch((await request('GET', '/v1/fs/inbox/mentions.md')).text, /On time/)
  clock.advance(1)
  const read = await workroom.eventually(async () => {
    const response = await request('GET', `${project}/posts/on-time`)
    return response.status === 200 && response.text
  })
  t.match(read, `id: ${draft.id}\n`)
  t.match(read, `publishedAt: ${new Date(at).toISOString()}\n`)
  t.match(read, 'author: Grace Hopper\n')
  t.equal((await request('GET', draft.path, { key: grace.key })).status, 404)
  t.match((await request('GET', '/v1/fs/inbox/mentions.md')).text, /Grace Hopper.*On time/)
})

t.test('a time that was removed or moved to later has no effect', async (t) => {
  const scheduled = (minutes: number) => `---\nscheduledFor: ${clock.now() + minutes * 60_000}\n---\n`
  const dropped = (await put(`${drafts}/dropped.md`, `${scheduled(5)}# Dropped\n`)).json
  const delayed = (await put(`${drafts}/delayed.md`, `${scheduled(5)}# Delayed\n`)).json
  const marker = (await put(`${drafts}/marker.md`, `${scheduled(6)}# Marker\n`)).json
  await put(dropped.path, '# Dropped\n')
  await put(delayed.path, `${scheduled(60)}# Delayed\n`)
  clock.advance(7 * 60_000)
  await workroom.eventually(async () => (await request('GET', `${project}/posts/marker`)).status === 200)
  t.equal((await request('GET', marker.path)).status, 404)
  for (const { path } of [dropped, delayed]) t.equal((await request('GET', path)).status, 200)
})

t.test(
  'a scheduled draft that was deleted is not published, and one that was published is not published again',
  async (t) => {
    const scheduled = `---\nscheduledFor: ${clock.now() + 60_000}\n---\n`
    const deleted = (await put(`${drafts}/deleted.md`, `${scheduled}# Deleted\n`)).json
    const early = (await put(`${drafts}/early.md`, `${scheduled}# Early\n`)).json
    await put(`${drafts}/sign.md`, `${scheduled}# Sign\n`)
    await request('DELETE', deleted.path)
    const post = (await request('POST', `${early.path}/_publish`)).json
    const publishedAt = clock.now()
    clock.advance(60_000)
    await workroom.eventually(async () => (await request('GET', `${project}/posts/sign`)).status === 200)
    t.equal((await request('GET', `${project}/posts/deleted`)).status, 404)
    t.match((await request('GET', post.path)).text, new Date(publishedAt).toISOString())
  },
)

t.test('a time in the past publishes at once', async (t) => {
  await put(`${drafts}/past.md`, '---\nscheduledFor: 2020-01-01T00:00:00Z\n---\n# Past\n')
  await workroom.eventually(async () => (await request('GET', `${project}/posts/past`)).status === 200)
  t.equal(
    (await request('GET', drafts)).json.posts.some(({ title }: { title: string }) => title === 'Past'),
    false,
  )
})

t.test('drafts whose time passed while the server was stopped are published at its start', async (t) => {
  const times = [clock.now() + 60_000, clock.now() + 120_000, clock.now() + 3_600_000]
  const made = []
  for (const [n, at] of times.entries())
    made.push((await put(`${drafts}/slept.md`, `---\nscheduledFor: ${at}\n---\n# Slept ${n}\n`)).json)
  await workroom.restart(() => clock.advance(600_000))
  for (const n of [0, 1]) {
    const { status, text } = await request('GET', `${project}/posts/slept-${n}`)
    t.equal(status, 200)
    t.match(text, `id: ${made[n]!.id}\n`)
    t.match(text, `publishedAt: ${new Date(times[n]!).toISOString()}\n`)
  }
  t.equal((await request('GET', made[2]!.path)).status, 200)
  clock.advance(3_600_000)
  await workroom.eventually(async () => (await request('GET', `${project}/posts/slept-2`)).status === 200)
})

t.test(
  'a draft that is read and then written under posts/ keeps its broadcasts and attachments',
  async (t) => {
    const author = await workroom.addMember({ name: 'Author', type: 'agent' }, 'general')
    const [near, far] = [
      await workroom.addMember({ name: 'Near', type: 'human' }, 'general'),
      await workroom.addMember({ name: 'Far', type: 'human' }),
    ]
    const inboxOf = async ({ key }: typeof near) =>
      (await request('GET', '/v1/fs/inbox/mentions.md', { key })).text
    const stored = ({ filename }: { filename: string }) =>
      readFileSync(join(home, 'projects/general/posts', filename), 'utf8')
    const draft = (await put(`${drafts}/d.md`, '# All hands\n\nCome, @[channel](__channel__)!\n', author.key))
      .json
    const { id } = (
      await request('POST', `${draft.path}/attachments?name=plan.txt`, { key: author.key, body: 'The plan' })
    ).json
    const read = (await request('GET', draft.path, { key: author.key })).text
    t.match(read, 'Come, @channel!\n')

    const post = (await put(`${project}/posts/all-hands.md`, read, author.key)).json
    t.not(post.id, draft.id, 'the draft stays where it is')
    t.equal(stored(post), '# All hands\n\nCome, @[channel](__channel__)!\n')
    t.match(await inboxOf(near), 'All hands')
    const listed = await request('GET', `${post.path}/attachments`, { key: near.key })
    t.match(listed.json.attachments, [{ id, name: 'plan.txt', size: 8 }])
    t.equal((await request('GET', `${post.path}/attachments/${id}`, { key: near.key })).text, 'The plan')
    t.match((await request('GET', post.path, { key: near.key })).text, /\nattachments: \[{"id":"att_/)
    await request('DELETE', draft.path, { key: author.key })
    t.equal(
      (await request('GET', `${post.path}/attachments/${id}`, { key: near.key })).text,
      'The plan',
      'the post has a copy of the file',
    )

    const texts = { here: '@[here](__here__)', everyone: '@[everyone](__everyone__)' }
    for (const [name, written] of Object.entries(texts)) {
      const { path } = (await put(`${drafts}/${name}.md`, `# To ${name}\n\nHello ${written}.\n`, author.key))
        .json
      const text = (await request('GET', path, { key: author.key })).text
      const renamed = (await put(`${project}/posts/x.md`, text.replace('# To', '# Now to'), author.key)).json
      t.equal(stored(renamed), `# Now to ${name}\n\nHello ${written}.\n`, 'same content below another title')
      const edited = `# To ${name}\n\nOther words for @${name}.\n`
      const other = (await put(`${project}/posts/y.md`, edited, author.key)).json
      t.equal(
        stored(other),
        `# To ${name}\n\nOther words for ${written}.\n`,
        'same title above other content',
      )
    }
    const general = workroom.workspace.stores.projects.find('general')!
    await workroom.workspace.stores.projects.join(general, far.member, 'member')
    t.match(await inboxOf(far), '*Now to everyone*')
  },
)

t.test('a bare broadcast stays text unless a draft of the author contained it', async (t) => {
  const stored = ({ filename }: { filename: string }) =>
    readFileSync(join(home, 'projects/general/posts', filename), 'utf8')
  const theirs = (await put(`${drafts}/s.md`, '# Shared title\n\nTo @[channel](__channel__).\n', grace.key))
    .json
  await request('POST', `${theirs.path}/attachments?name=x.txt`, { key: grace.key, body: 'x' })
  const post = (await put(`${project}/posts/s.md`, '# Shared title\n\nTo @channel.\n')).json
  t.equal(stored(post), '# Shared title\n\nTo @channel.\n', 'another author’s draft has no effect')
  t.strictSame((await request('GET', `${post.path}/attachments`)).json, { attachments: [] })
  await put(`${drafts}/o.md`, '# Own\n\nTo @[here](__here__).\n')
  const own = (await put(`${project}/posts/o.md`, '# Own\n\nTo @here and @channel.\n')).json
  t.equal(stored(own), '# Own\n\nTo @[here](__here__) and @channel.\n', 'only what the draft had')
})
