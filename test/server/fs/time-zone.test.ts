import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { startWorkroom } from '../../support/workroom.ts'

t.test('the names of posts and drafts begin with the day in the time zone of the workspace', async (t) => {
  const { request, clock } = await startWorkroom(t, {
    config: { ...defaultConfig, timeZone: 'Pacific/Auckland' },
  })
  const hourMs = 3_600_000
  const sinceMidnight = clock.now() % (24 * hourMs)
  clock.advance(24 * hourMs - sinceMidnight + 13 * hourMs)
  const tomorrow = new Date(clock.now() + 12 * hourMs).toISOString().slice(0, 10)
  for (const folder of ['posts', 'drafts']) {
    const { json } = await request('PUT', `/v1/fs/projects/general/${folder}/x.md`, { body: '# Late\n' })
    t.equal(json.filename, `${tomorrow}-late.md`)
  }
})
